// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is built is an ordinary ibv_send_wr, judged and queued as those of
 * ibv_post_send() are.  The first fault of a batch is kept and told by
 * wr_complete; from then on the batch takes no more.
 */
#include "device/front/builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/engine/operation.h"
#include "device/front/post.h"
#include "device/mutant/mutant.h"

struct builder {
	/* From wr_start to wr_complete or wr_abort. */
	pthread_mutex_t lock;
	int err; /* errno; 0: none yet */
	uint32_t count;
	bool kept; /* D70: a batch that was aborted */
	/* As many as the send queue has, each with its own room. */
	struct ibv_send_wr *wrs;
	struct post_send *judged;
	struct ibv_sge *sges;
	uint8_t *inline_bytes;
};

static const struct builder_op {
	uint64_t flag;
	enum ibv_wr_opcode opcode;
} builder_ops[] = {
	{ IBV_QP_EX_WITH_RDMA_WRITE, IBV_WR_RDMA_WRITE },
	{ IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM },
	{ IBV_QP_EX_WITH_SEND, IBV_WR_SEND },
	{ IBV_QP_EX_WITH_SEND_WITH_IMM, IBV_WR_SEND_WITH_IMM },
	{ IBV_QP_EX_WITH_RDMA_READ, IBV_WR_RDMA_READ },
	{ IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_CMP_AND_SWP },
	{ IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ IBV_QP_EX_WITH_LOCAL_INV, IBV_WR_LOCAL_INV },
	{ IBV_QP_EX_WITH_BIND_MW, IBV_WR_BIND_MW },
	{ IBV_QP_EX_WITH_SEND_WITH_INV, IBV_WR_SEND_WITH_INV },
};

bool builder_serves(enum ibv_qp_type type, uint64_t send_ops)
{
	for (size_t i = 0; i < ARRAY_SIZE(builder_ops); i++) {
		if (operation_allowed(builder_ops[i].opcode, type))
			send_ops &= ~builder_ops[i].flag;
	}
	return send_ops == 0;
}

static struct soft_qp *builder_qp(struct ibv_qp_ex *verbs)
{
	return container_of(verbs, struct soft_qp, verbs);
}

static void builder_fail(struct builder *b, int err)
{
	if (!b->err)
		b->err = err;
}

/* The next request of the batch; NULL: it takes no more. */
static struct ibv_send_wr *builder_begin(struct ibv_qp_ex *verbs,
					 enum ibv_wr_opcode opcode)
{
	struct soft_qp *qp = builder_qp(verbs);
	const struct ibv_qp_cap *cap = &qp->world.qp.cap;
	struct builder *b = qp->builder;
	struct ibv_send_wr *wr;

	if (b->count == cap->max_send_wr)
		builder_fail(b, ENOMEM);
	if (b->err)
		return NULL;
	wr = &b->wrs[b->count];
	*wr = (struct ibv_send_wr){
		.wr_id = verbs->wr_id,
		.sg_list = b->sges + (size_t)b->count * cap->max_send_sge,
		.opcode = opcode,
		/* Inline is said by the setter. */
		.send_flags = verbs->wr_flags & ~(unsigned)IBV_SEND_INLINE,
	};
	b->count++;
	return wr;
}

/* The one that setters complete; NULL: there is none, or the batch has failed.
 */
static struct ibv_send_wr *builder_last(struct builder *b)
{
	if (b->count == 0)
		builder_fail(b, EINVAL);
	return b->err ? NULL : &b->wrs[b->count - 1];
}

static void builder_rdma(struct ibv_qp_ex *verbs, enum ibv_wr_opcode opcode,
			 uint32_t rkey, uint64_t remote_addr, __be32 imm)
{
	struct ibv_send_wr *wr = builder_begin(verbs, opcode);

	if (!wr)
		return;
	wr->wr.rdma.rkey = rkey;
	wr->wr.rdma.remote_addr = remote_addr;
	wr->imm_data = imm;
}

static void builder_rdma_read(struct ibv_qp_ex *verbs, uint32_t rkey,
			      uint64_t remote_addr)
{
	builder_rdma(verbs, IBV_WR_RDMA_READ, rkey, remote_addr, 0);
}

static void builder_rdma_write(struct ibv_qp_ex *verbs, uint32_t rkey,
			       uint64_t remote_addr)
{
	builder_rdma(verbs, IBV_WR_RDMA_WRITE, rkey, remote_addr, 0);
}

static void builder_rdma_write_imm(struct ibv_qp_ex *verbs, uint32_t rkey,
				   uint64_t remote_addr, __be32 imm)
{
	builder_rdma(verbs, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote_addr, imm);
}

static void builder_atomic(struct ibv_qp_ex *verbs, enum ibv_wr_opcode opcode,
			   uint32_t rkey, uint64_t remote_addr,
			   uint64_t compare_add, uint64_t swap)
{
	struct ibv_send_wr *wr = builder_begin(verbs, opcode);

	if (!wr)
		return;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.remote_addr = remote_addr;
	wr->wr.atomic.compare_add = compare_add;
	wr->wr.atomic.swap = swap;
}

static void builder_atomic_cmp_swp(struct ibv_qp_ex *verbs, uint32_t rkey,
				   uint64_t remote_addr, uint64_t compare,
				   uint64_t swap)
{
	bool turned = MUTANT_ACTS(M54, true);

	builder_atomic(verbs, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, remote_addr,
		       turned ? swap : compare, turned ? compare : swap);
}

static void builder_atomic_fetch_add(struct ibv_qp_ex *verbs, uint32_t rkey,
				     uint64_t remote_addr, uint64_t add)
{
	builder_atomic(verbs, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, remote_addr,
		       add, 0);
}

static void builder_bind_mw(struct ibv_qp_ex *verbs, struct ibv_mw *mw,
			    uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr *wr = builder_begin(verbs, IBV_WR_BIND_MW);

	if (!wr)
		return;
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = rkey;
	wr->bind_mw.bind_info = *info;
}

static void builder_invalidating(struct ibv_qp_ex *verbs,
				 enum ibv_wr_opcode opcode, uint32_t rkey)
{
	struct ibv_send_wr *wr = builder_begin(verbs, opcode);

	if (wr)
		wr->invalidate_rkey = rkey;
}

static void builder_local_inv(struct ibv_qp_ex *verbs, uint32_t rkey)
{
	builder_invalidating(verbs, IBV_WR_LOCAL_INV, rkey);
}

static void builder_send_inv(struct ibv_qp_ex *verbs, uint32_t rkey)
{
	builder_invalidating(verbs, IBV_WR_SEND_WITH_INV, rkey);
}

static void builder_send(struct ibv_qp_ex *verbs)
{
	(void)!builder_begin(verbs, IBV_WR_SEND);
}

static void builder_send_imm(struct ibv_qp_ex *verbs, __be32 imm)
{
	struct ibv_send_wr *wr = builder_begin(verbs, IBV_WR_SEND_WITH_IMM);

	if (wr)
		wr->imm_data = imm;
}

static void builder_set_ud_addr(struct ibv_qp_ex *verbs, struct ibv_ah *ah,
				uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct soft_qp *qp = builder_qp(verbs);
	struct ibv_send_wr *wr = builder_last(qp->builder);

	/* The same bytes mean something else to the other types. */
	if (qp->world.qp.type != IBV_QPT_UD) {
		builder_fail(qp->builder, EINVAL);
	} else if (wr) {
		wr->wr.ud.ah = ah;
		wr->wr.ud.remote_qpn = remote_qpn;
		wr->wr.ud.remote_qkey = MUTANT_ACTS(M55, true)
						? qp->world.qp.attr.qkey
						: remote_qkey;
	}
}

static void builder_set_sge_list(struct ibv_qp_ex *verbs, size_t num_sge,
				 const struct ibv_sge *list)
{
	struct soft_qp *qp = builder_qp(verbs);
	struct ibv_send_wr *wr = builder_last(qp->builder);

	if (num_sge > qp->world.qp.cap.max_send_sge)
		builder_fail(qp->builder, EINVAL);
	else if (wr) {
		wr->send_flags &= ~(unsigned)IBV_SEND_INLINE;
		wr->num_sge = (int)num_sge;
		if (num_sge)
			memcpy(wr->sg_list, list, num_sge * sizeof(*list));
	}
}

static void builder_set_sge(struct ibv_qp_ex *verbs, uint32_t lkey,
			    uint64_t addr, uint32_t length)
{
	const struct ibv_sge sge = { .addr = addr,
				     .length = length,
				     .lkey = lkey };

	builder_set_sge_list(verbs, 1, &sge);
}

/* Copied at once: the buffers are the application's again. */
static void builder_set_inline_data_list(struct ibv_qp_ex *verbs,
					 size_t num_buf,
					 const struct ibv_data_buf *bufs)
{
	struct soft_qp *qp = builder_qp(verbs);
	const struct ibv_qp_cap *cap = &qp->world.qp.cap;
	struct builder *b = qp->builder;
	struct ibv_send_wr *wr = builder_last(b);
	size_t length = 0;
	uint8_t *to;

	if (!wr)
		return;
	to = b->inline_bytes + (size_t)(b->count - 1) * cap->max_inline_data;
	for (size_t i = 0; i < num_buf; i++) {
		if (bufs[i].length > cap->max_inline_data - length) {
			builder_fail(b, EINVAL);
			return;
		}
		if (bufs[i].length)
			memcpy(to + length, bufs[i].addr, bufs[i].length);
		if (MUTANT_ACTS(M01, i > 0 && bufs[i].length))
			memset(to + length, 0, bufs[i].length);
		length += bufs[i].length;
	}
	wr->send_flags |= IBV_SEND_INLINE;
	if (MUTANT_ACTS(D02, length > 0))
		length = 0;
	wr->num_sge = length > 0;
	if (length)
		*wr->sg_list = (struct ibv_sge){ .addr = (uintptr_t)to,
						 .length = (uint32_t)length };
}

static void builder_set_inline_data(struct ibv_qp_ex *verbs, void *addr,
				    size_t length)
{
	const struct ibv_data_buf buf = { .addr = addr, .length = length };

	builder_set_inline_data_list(verbs, 1, &buf);
}

static void builder_start(struct ibv_qp_ex *verbs)
{
	struct builder *b = builder_qp(verbs)->builder;

	pthread_mutex_lock(&b->lock);
	b->err = 0;
	if (!b->kept)
		b->count = 0;
	b->kept = false;
}

/* D01 */
static MUTANT_COLD void builder_multiply(struct post_send *send)
{
	const struct ibv_send_wr *wr = send->wr;
	uint64_t product;

	if (wr->num_sge < 2 || (wr->send_flags & IBV_SEND_INLINE))
		return;
	product = (uint64_t)wr->num_sge * wr->sg_list[0].length;
	if (MUTANT_ACTS(D01, product != send->length))
		send->length = product;
}

static int builder_judge(struct soft_qp *qp)
{
	struct builder *b = qp->builder;
	int err = b->err;

	for (uint32_t i = 0; i < b->count && !err; i++) {
		b->judged[i].later = i > 0;
		b->judged[i].built = true;
		err = post_judge_send(qp, &b->wrs[i], SD_MR_WINDOW_2,
				      &b->judged[i]);
		if (!err && MUTANT_ON(D01))
			builder_multiply(&b->judged[i]);
	}
	if (!err && !post_room(qp, b->count))
		err = ENOMEM;
	return err;
}

static int builder_complete(struct ibv_qp_ex *verbs)
{
	struct soft_qp *qp = builder_qp(verbs);
	struct sd_adapter *adapter = qp->context->adapter;
	struct builder *b = qp->builder;
	int err;

	sd_adapter_lock(adapter);
	err = builder_judge(qp);
	if (!err) {
		for (uint32_t i = 0; i < b->count; i++)
			post_queue_send(qp, &b->judged[i]);
		post_start(qp);
	}
	sd_adapter_unlock(adapter);
	pthread_mutex_unlock(&b->lock);
	return err;
}

static void builder_abort(struct ibv_qp_ex *verbs)
{
	struct builder *b = builder_qp(verbs)->builder;

	b->kept = MUTANT_ACTS(D70, b->count > 0 && !b->err);
	pthread_mutex_unlock(&b->lock);
}

/* In all slots that this queue pair has no use for, known or not: whatever
 * else they are called with, the queue pair comes first. */
static void builder_refuse(struct ibv_qp_ex *verbs)
{
	builder_fail(builder_qp(verbs)->builder, EOPNOTSUPP);
}

static void builder_fill_setters(struct ibv_qp_ex *qp)
{
	qp->wr_set_ud_addr = builder_set_ud_addr;
	qp->wr_set_inline_data = builder_set_inline_data;
	qp->wr_set_inline_data_list = builder_set_inline_data_list;
	qp->wr_set_sge = builder_set_sge;
	qp->wr_set_sge_list = builder_set_sge_list;
	qp->wr_start = builder_start;
	qp->wr_complete = builder_complete;
	qp->wr_abort = builder_abort;
}

static void builder_fill(struct soft_qp *soft, uint64_t ops)
{
	struct ibv_qp_ex *qp = &soft->verbs;
	void (*const refuse)(void) = (void (*)(void))builder_refuse;

	for (size_t i = 0; i < ARRAY_SIZE(soft->beyond); i++)
		soft->beyond[i] = refuse;
#define BUILDER_SLOT(flag, slot)                      \
	qp->wr_##slot = ops & (flag) ? builder_##slot \
				     : (__typeof__(qp->wr_##slot))refuse
	BUILDER_SLOT(IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, atomic_cmp_swp);
	BUILDER_SLOT(IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, atomic_fetch_add);
	BUILDER_SLOT(IBV_QP_EX_WITH_BIND_MW, bind_mw);
	BUILDER_SLOT(IBV_QP_EX_WITH_LOCAL_INV, local_inv);
	BUILDER_SLOT(IBV_QP_EX_WITH_RDMA_READ, rdma_read);
	BUILDER_SLOT(IBV_QP_EX_WITH_RDMA_WRITE, rdma_write);
	BUILDER_SLOT(IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, rdma_write_imm);
	BUILDER_SLOT(IBV_QP_EX_WITH_SEND, send);
	BUILDER_SLOT(IBV_QP_EX_WITH_SEND_WITH_IMM, send_imm);
	BUILDER_SLOT(IBV_QP_EX_WITH_SEND_WITH_INV, send_inv);
#undef BUILDER_SLOT
	qp->wr_send_tso = (__typeof__(qp->wr_send_tso))refuse;
	qp->wr_atomic_write = (__typeof__(qp->wr_atomic_write))refuse;
	qp->wr_set_xrc_srqn = (__typeof__(qp->wr_set_xrc_srqn))refuse;
	builder_fill_setters(qp);
}

int builder_open(struct soft_qp *qp, uint64_t send_ops)
{
	const struct ibv_qp_cap *cap = &qp->world.qp.cap;
	struct builder *b = calloc(1, sizeof(*b));

	if (!b)
		return -ENOMEM;
	qp->builder = b;
	pthread_mutex_init(&b->lock, NULL);
	b->wrs = calloc(cap->max_send_wr + 1, sizeof(*b->wrs));
	b->judged = calloc(cap->max_send_wr + 1, sizeof(*b->judged));
	b->sges = calloc((size_t)cap->max_send_wr * cap->max_send_sge + 1,
			 sizeof(*b->sges));
	b->inline_bytes =
		calloc((size_t)cap->max_send_wr * cap->max_inline_data + 1, 1);
	if (!b->wrs || !b->judged || !b->sges || !b->inline_bytes) {
		builder_close(qp);
		return -ENOMEM;
	}
	builder_fill(qp, send_ops);
	return 0;
}

void builder_close(struct soft_qp *qp)
{
	struct builder *b = qp->builder;

	if (!b)
		return;
	pthread_mutex_destroy(&b->lock);
	free(b->inline_bytes);
	free(b->sges);
	free(b->judged);
	free(b->wrs);
	free(b);
	qp->builder = NULL;
}
