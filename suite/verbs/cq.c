// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion queues. */
#include <endian.h>
#include <errno.h>

#include "suite/oracle/recorder.h"
#include "suite/verbs/verbs.h"

int verbs_cq_create(const struct verbs_at *at, struct ibv_context *context,
		    int cqe, void *cookie, struct ibv_comp_channel *channel,
		    int vector, struct ibv_cq **cq)
{
	struct recorder_record r = { .call = RECORDER_CREATE_CQ };
	int err;

	errno = 0;
	*cq = ibv_create_cq(context, cqe, cookie, channel, vector);
	err = *cq ? 0 : verbs_errno();
	r.args[0] = (uint64_t)cqe;
	r.args[2] = (uint64_t)vector;
	r.args[3] = channel ? (uint64_t)channel->fd : 0;
	if (*cq) {
		r.object = (*cq)->handle;
		r.args[1] = (uint64_t)(*cq)->cqe;
	}
	verbs_record(at, &r, err ? -1 : 0, err);
	return err;
}

int verbs_cq_destroy(const struct verbs_at *at, struct ibv_cq *cq)
{
	struct recorder_record r = { .call = RECORDER_DESTROY_CQ,
				     .object = cq->handle };
	int ret, err;

	errno = 0;
	ret = ibv_destroy_cq(cq);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

void verbs_cq_record(const struct verbs_at *at, const struct ibv_wc *wc)
{
	struct recorder_record r = {
		.call = RECORDER_COMPLETION,
		.object = wc->qp_num,
		.vendor_err = wc->status ? wc->vendor_err : 0,
		.args = { wc->wr_id, wc->status, wc->opcode, wc->byte_len,
			  wc->wc_flags },
	};

	if (wc->wc_flags & IBV_WC_WITH_IMM)
		r.args[5] = be32toh(wc->imm_data);
	verbs_record(at, &r, wc->status, 0);
}

int verbs_cq_poll(const struct verbs_at *at, struct ibv_cq *cq, int count,
		  struct ibv_wc *wc)
{
	struct recorder_record r;
	int got, i;

	got = ibv_poll_cq(cq, count, wc);
	if (got == 0 || !at->recorder)
		return got;
	r = (struct recorder_record){ .call = RECORDER_POLL_CQ,
				      .object = cq->handle,
				      .args = { (uint64_t)count } };
	verbs_record(at, &r, got, got < 0 ? -EIO : 0);
	for (i = 0; i < got && i < count; i++)
		verbs_cq_record(at, &wc[i]);
	return got;
}

int verbs_cq_arm(const struct verbs_at *at, struct ibv_cq *cq,
		 bool solicited_only)
{
	struct recorder_record r = { .call = RECORDER_REQ_NOTIFY_CQ,
				     .object = cq->handle,
				     .args = { solicited_only } };
	int ret, err;

	errno = 0;
	ret = ibv_req_notify_cq(cq, solicited_only);
	err = verbs_result(ret);
	verbs_record(at, &r, ret, err);
	return err;
}

int verbs_cq_resize(const struct verbs_at *at, struct ibv_cq *cq, int cqe)
{
	struct recorder_record r = { .call = RECORDER_RESIZE_CQ,
				     .object = cq->handle,
				     .args = { (uint64_t)cqe } };
	int ret, err;

	errno = 0;
	ret = ibv_resize_cq(cq, cqe);
	err = verbs_result(ret);
	r.args[1] = (uint64_t)cq->cqe;
	verbs_record(at, &r, ret, err);
	return err;
}
