// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting by the builder functions: one ibv_wr_start() .. ibv_wr_complete()
 * for the whole list, each request built from the form that ibv_post_send()
 * takes.  What cannot be built is what that verb would refuse.
 */
#include <errno.h>
#include <string.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

/* 0, or -EOPNOTSUPP: there is no builder for it. */
static int verbs_build_operation(struct ibv_qp_ex *qp,
				 const struct ibv_send_wr *wr)
{
	uint64_t remote = wr->wr.rdma.remote_addr;
	uint32_t rkey = wr->wr.rdma.rkey;

	switch (wr->opcode) {
	case IBV_WR_SEND:
		ibv_wr_send(qp);
		return 0;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qp, wr->imm_data);
		return 0;
	case IBV_WR_SEND_WITH_INV:
		ibv_wr_send_inv(qp, wr->invalidate_rkey);
		return 0;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qp, rkey, remote);
		return 0;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qp, rkey, remote, wr->imm_data);
		return 0;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qp, rkey, remote);
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qp, wr->wr.atomic.rkey,
				      wr->wr.atomic.remote_addr,
				      wr->wr.atomic.compare_add,
				      wr->wr.atomic.swap);
		return 0;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qp, wr->wr.atomic.rkey,
					wr->wr.atomic.remote_addr,
					wr->wr.atomic.compare_add);
		return 0;
	case IBV_WR_LOCAL_INV:
		ibv_wr_local_inv(qp, wr->invalidate_rkey);
		return 0;
	case IBV_WR_BIND_MW:
		ibv_wr_bind_mw(qp, wr->bind_mw.mw, wr->bind_mw.rkey,
			       &wr->bind_mw.bind_info);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static void verbs_build_data(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	struct ibv_data_buf bufs[64];
	int i;

	if (wr->opcode == IBV_WR_LOCAL_INV || wr->opcode == IBV_WR_BIND_MW)
		return;
	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		if (wr->num_sge == 1)
			ibv_wr_set_sge(qp, wr->sg_list[0].lkey,
				       wr->sg_list[0].addr,
				       wr->sg_list[0].length);
		else
			ibv_wr_set_sge_list(qp, (size_t)wr->num_sge,
					    wr->sg_list);
		return;
	}
	for (i = 0; i < wr->num_sge && i < 64; i++)
		bufs[i] = (struct ibv_data_buf){
			.addr = (void *)(uintptr_t)wr->sg_list[i].addr,
			.length = wr->sg_list[i].length,
		};
	if (wr->num_sge == 1)
		ibv_wr_set_inline_data(qp, bufs[0].addr, bufs[0].length);
	else
		ibv_wr_set_inline_data_list(qp, (size_t)i, bufs);
}

/* From ibv_wr_start() on, without an end; what will be taken back has ids that
 * nobody knows, and would be told if it were posted. */
static int verbs_build_list(struct ibv_qp_ex *qp,
			    const struct ibv_send_wr *list, bool taken_back)
{
	const struct ibv_send_wr *wr;
	int err;

	ibv_wr_start(qp);
	for (wr = list; wr; wr = wr->next) {
		qp->wr_id = wr->wr_id ^ taken_back;
		/* Inline is said by how the data is given. */
		qp->wr_flags = wr->send_flags & ~(unsigned)IBV_SEND_INLINE;
		if (taken_back)
			qp->wr_flags |= IBV_SEND_SIGNALED;
		err = verbs_build_operation(qp, wr);
		if (err)
			return err;
		verbs_build_data(qp, wr);
		if (qp->qp_base.qp_type == IBV_QPT_UD)
			ibv_wr_set_ud_addr(qp, wr->wr.ud.ah,
					   wr->wr.ud.remote_qpn,
					   wr->wr.ud.remote_qkey);
	}
	return 0;
}

/*
 * Some lists are built twice, and the first time taken back: nothing of that
 * must ever be seen.  Which ones, their ids say, so that it is the same in
 * every run.
 */
static bool verbs_build_hesitates(const struct ibv_send_wr *list)
{
	return list && list->wr_id % 3 == 0;
}

int verbs_build_send(const struct verbs_at *at, struct ibv_qp *base,
		     struct ibv_send_wr *list, struct ibv_send_wr **bad)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(base);
	int err, ret;

	*bad = NULL;
	errno = 0;
	if (verbs_build_hesitates(list)) {
		(void)!verbs_build_list(qp, list, true);
		ibv_wr_abort(qp);
	}
	err = verbs_build_list(qp, list, false);
	if (err) {
		ibv_wr_abort(qp);
		ret = err;
	} else {
		ret = ibv_wr_complete(qp);
		err = verbs_result(ret);
	}
	/* The list is one: it is taken or refused as a whole. */
	if (err)
		*bad = list;
	verbs_send_record(at, base->qp_num, list, *bad, ret, err);
	return err;
}
