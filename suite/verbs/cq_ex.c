// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Extended completion queues: the same completions by another way. */
#include <errno.h>
#include <string.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_cq_create_ex(const struct verbs_at *at, struct ibv_context *context,
		       struct ibv_cq_init_attr_ex *init, struct ibv_cq_ex **cq)
{
	struct recorder_record r = { .call = RECORDER_CREATE_CQ };
	int err;

	errno = 0;
	*cq = ibv_create_cq_ex(context, init);
	err = *cq ? 0 : verbs_errno();
	r.args[0] = init->cqe;
	r.args[2] = init->comp_vector;
	r.args[3] = init->channel ? (uint64_t)init->channel->fd : 0;
	if (*cq) {
		r.object = (*cq)->handle;
		r.args[1] = (uint64_t)(*cq)->cqe;
	}
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

/* The current one, as ibv_poll_cq() would tell it. */
static void verbs_cq_ex_read(struct ibv_cq_ex *cq, struct ibv_wc *wc)
{
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = cq->wr_id;
	wc->status = cq->status;
	wc->qp_num = ibv_wc_read_qp_num(cq);
	wc->vendor_err = ibv_wc_read_vendor_err(cq);
	if (wc->status != IBV_WC_SUCCESS)
		return;
	wc->opcode = ibv_wc_read_opcode(cq);
	wc->wc_flags = ibv_wc_read_wc_flags(cq);
	if (!(wc->opcode & IBV_WC_RECV)) {
		wc->byte_len = ibv_wc_read_byte_len(cq);
		return;
	}
	wc->byte_len = ibv_wc_read_byte_len(cq);
	wc->src_qp = ibv_wc_read_src_qp(cq);
	if (wc->wc_flags & IBV_WC_WITH_INV)
		wc->invalidated_rkey = ibv_wc_read_invalidated_rkey(cq);
	else if (wc->wc_flags & IBV_WC_WITH_IMM)
		wc->imm_data = ibv_wc_read_imm_data(cq);
}

int verbs_cq_poll_ex(const struct verbs_at *at, struct ibv_cq_ex *cq, int count,
		     struct ibv_wc *wc, uint64_t *stamps)
{
	struct ibv_poll_cq_attr attr = { 0 };
	int err, got = 0;

	err = ibv_start_poll(cq, &attr);
	if (err == ENOENT)
		return 0;
	if (err)
		return verbs_result(err);
	do {
		verbs_cq_ex_read(cq, &wc[got]);
		if (stamps)
			stamps[got] = ibv_wc_read_completion_ts(cq);
		verbs_cq_record(at, &wc[got++]);
	} while (got < count && !(err = ibv_next_poll(cq)));
	ibv_end_poll(cq);
	return err && err != ENOENT ? verbs_result(err) : got;
}
