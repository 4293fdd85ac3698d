// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Extended completion queues: polled one entry at a time, of which each field
 * is read by a function.  The entry is copied out of the ring, so that between
 * start_poll and end_poll the application may post and poll elsewhere.
 */
#include "device/front/cq.h"

#include <errno.h>
#include <string.h>

static struct soft_cq *cq_ex_cast(struct ibv_cq_ex *verbs)
{
	return container_of(verbs, struct soft_cq, verbs);
}

int cq_ex_judge(const struct ibv_cq_init_attr_ex *attr, bool *stamped)
{
	const uint64_t stamps = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |
				IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

	if (attr->wc_flags & ~(IBV_WC_STANDARD_FLAGS | stamps))
		return -EOPNOTSUPP;
	if (attr->comp_mask & ~(unsigned)IBV_CQ_INIT_ATTR_MASK_FLAGS)
		return -EOPNOTSUPP;
	if ((attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
	    (attr->flags & ~(unsigned)IBV_CREATE_CQ_ATTR_SINGLE_THREADED))
		return -EOPNOTSUPP;
	*stamped = attr->wc_flags & stamps;
	return 0;
}

static int cq_ex_next_poll(struct ibv_cq_ex *verbs)
{
	struct soft_cq *cq = cq_ex_cast(verbs);

	if (!cq_take_one(cq, &cq->current))
		return ENOENT;
	verbs->wr_id = cq->current.wc.wr_id;
	verbs->status = cq->current.wc.status;
	return 0;
}

/* Who finds nothing must not call end_poll. */
static int cq_ex_start_poll(struct ibv_cq_ex *verbs,
			    struct ibv_poll_cq_attr *attr)
{
	struct soft_cq *cq = cq_ex_cast(verbs);
	int err;

	if (attr && attr->comp_mask)
		return EINVAL;
	if (!cq->single_threaded)
		pthread_mutex_lock(&cq->poll_lock);
	err = cq_ex_next_poll(verbs);
	if (err && !cq->single_threaded)
		pthread_mutex_unlock(&cq->poll_lock);
	return err;
}

static void cq_ex_end_poll(struct ibv_cq_ex *verbs)
{
	struct soft_cq *cq = cq_ex_cast(verbs);

	if (!cq->single_threaded)
		pthread_mutex_unlock(&cq->poll_lock);
}

#define CQ_EX_READ(type, name, value)                                        \
	static type cq_ex_read_##name(struct ibv_cq_ex *verbs)               \
	{                                                                    \
		const struct soft_cq_entry *e = &cq_ex_cast(verbs)->current; \
                                                                             \
		return value;                                                \
	}
CQ_EX_READ(enum ibv_wc_opcode, opcode, e->wc.opcode)
CQ_EX_READ(uint32_t, vendor_err, e->wc.vendor_err)
CQ_EX_READ(uint32_t, byte_len, e->wc.byte_len)
CQ_EX_READ(__be32, imm_data, e->wc.imm_data)
CQ_EX_READ(uint32_t, qp_num, e->wc.qp_num)
CQ_EX_READ(uint32_t, src_qp, e->wc.src_qp)
CQ_EX_READ(unsigned int, wc_flags, e->wc.wc_flags)
CQ_EX_READ(uint32_t, slid, e->wc.slid)
CQ_EX_READ(uint8_t, sl, e->wc.sl)
CQ_EX_READ(uint8_t, dlid_path_bits, e->wc.dlid_path_bits)
CQ_EX_READ(uint64_t, completion_ts, e->clock_ns)
CQ_EX_READ(uint64_t, completion_wallclock_ns, e->wall_ns)
#undef CQ_EX_READ

/* Of what is refused at creation, for who asks all the same: nothing. */
static uint16_t cq_ex_read_cvlan(struct ibv_cq_ex *verbs)
{
	(void)verbs;
	return 0;
}

static uint32_t cq_ex_read_flow_tag(struct ibv_cq_ex *verbs)
{
	(void)verbs;
	return 0;
}

static void cq_ex_read_tm_info(struct ibv_cq_ex *verbs,
			       struct ibv_wc_tm_info *info)
{
	(void)verbs;
	memset(info, 0, sizeof(*info));
}

void cq_ex_fill(struct soft_cq *cq)
{
	struct ibv_cq_ex *v = &cq->verbs;

	v->start_poll = cq_ex_start_poll;
	v->next_poll = cq_ex_next_poll;
	v->end_poll = cq_ex_end_poll;
	v->read_opcode = cq_ex_read_opcode;
	v->read_vendor_err = cq_ex_read_vendor_err;
	v->read_byte_len = cq_ex_read_byte_len;
	v->read_imm_data = cq_ex_read_imm_data;
	v->read_qp_num = cq_ex_read_qp_num;
	v->read_src_qp = cq_ex_read_src_qp;
	v->read_wc_flags = cq_ex_read_wc_flags;
	v->read_slid = cq_ex_read_slid;
	v->read_sl = cq_ex_read_sl;
	v->read_dlid_path_bits = cq_ex_read_dlid_path_bits;
	v->read_completion_ts = cq_ex_read_completion_ts;
	v->read_cvlan = cq_ex_read_cvlan;
	v->read_flow_tag = cq_ex_read_flow_tag;
	v->read_tm_info = cq_ex_read_tm_info;
	v->read_completion_wallclock_ns = cq_ex_read_completion_wallclock_ns;
}
