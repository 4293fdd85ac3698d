// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Posting: each request of the list is judged whole before anything of it is
 * queued; the first that is refused ends the list, and those before it run.
 */
#include <errno.h>
#include <string.h>

#include "device/front/limits.h"
#include "device/front/qp.h"
#include "device/front/verbs.h"

static int post_send_state(const struct sd_qp *qp)
{
	switch (qp->state) {
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
	case IBV_QPS_SQE:
	case IBV_QPS_ERR:
		return 0;
	default:
		return EINVAL;
	}
}

static int post_length(const struct ibv_sge *sge, int num_sge, uint64_t *length)
{
	*length = 0;
	for (int i = 0; i < num_sge; i++)
		*length += sge[i].length;
	return *length > LIMIT_max_msg_bytes ? EINVAL : 0;
}

static int post_judge_send(const struct sd_qp *qp, const struct ibv_send_wr *wr,
			   uint64_t *length)
{
	const unsigned flags_known = IBV_SEND_FENCE | IBV_SEND_SIGNALED |
				     IBV_SEND_SOLICITED | IBV_SEND_INLINE;
	int err = post_send_state(qp);

	if (err)
		return err;
	if (wr->opcode != IBV_WR_SEND && wr->opcode != IBV_WR_SEND_WITH_IMM)
		return EINVAL;
	if (wr->send_flags & ~flags_known)
		return EINVAL;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->cap.max_send_sge)
		return EINVAL;
	if ((err = post_length(wr->sg_list, wr->num_sge, length)))
		return err;
	if ((wr->send_flags & IBV_SEND_INLINE) &&
	    *length > qp->cap.max_inline_data)
		return EINVAL;
	return ring_room(&qp->sq) ? 0 : ENOMEM;
}

/* Inline data is copied now: its buffer is the application's again when the
 * post returns. */
static void post_copy_inline(struct sd_send_wqe *wqe,
			     const struct ibv_send_wr *wr)
{
	uint8_t *to = wqe->inline_data;

	for (int i = 0; i < wr->num_sge; i++) {
		memcpy(to, (const void *)(uintptr_t)wr->sg_list[i].addr,
		       wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
}

static void post_queue_send(struct sd_qp *qp, const struct ibv_send_wr *wr,
			    uint32_t length)
{
	struct sd_send_wqe *wqe = &qp->sq_wqe[ring_push(&qp->sq)];

	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->signaled = qp->sig_all || (wr->send_flags & IBV_SEND_SIGNALED);
	wqe->solicited = wr->send_flags & IBV_SEND_SOLICITED;
	wqe->fence = wr->send_flags & IBV_SEND_FENCE;
	wqe->is_inline = wr->send_flags & IBV_SEND_INLINE;
	wqe->begun = false;
	wqe->imm = wr->imm_data;
	wqe->length = length;
	wqe->num_sge = wr->num_sge;
	if (wqe->is_inline)
		post_copy_inline(wqe, wr);
	else if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list,
		       (size_t)wr->num_sge * sizeof(wqe->sge[0]));
}

int soft_post_send(struct ibv_qp *verbs, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr)
{
	struct soft_qp *soft = soft_qp_cast(verbs);
	struct sd_qp *qp = &soft->world.qp;
	struct sd_adapter *adapter = soft->context->adapter;
	int err = 0;

	sd_adapter_lock(adapter);
	for (; wr; wr = wr->next) {
		uint64_t length;

		err = post_judge_send(qp, wr, &length);
		if (err) {
			*bad_wr = wr;
			break;
		}
		post_queue_send(qp, wr, (uint32_t)length);
		/* In ERR it is accepted, and told at once that it is late. */
		if (qp->state == IBV_QPS_ERR)
			qp_complete_send(qp, IBV_WC_WR_FLUSH_ERR);
	}
	adapter_post(adapter, &soft->world);
	sd_adapter_unlock(adapter);
	return err;
}

static int post_judge_recv(const struct sd_qp *qp, const struct ibv_recv_wr *wr,
			   uint64_t *length)
{
	int err;

	if (qp->state == IBV_QPS_RESET)
		return EINVAL;
	if (wr->num_sge < 0 || (uint32_t)wr->num_sge > qp->cap.max_recv_sge)
		return EINVAL;
	if ((err = post_length(wr->sg_list, wr->num_sge, length)))
		return err;
	return ring_room(&qp->rq) ? 0 : ENOMEM;
}

static void post_queue_recv(struct sd_qp *qp, const struct ibv_recv_wr *wr,
			    uint64_t length)
{
	struct sd_recv_wqe *wqe;

	if (qp->state == IBV_QPS_ERR) {
		qp_complete_recv_error(qp, wr->wr_id, IBV_WC_WR_FLUSH_ERR);
		return;
	}
	wqe = &qp->rq_wqe[ring_push(&qp->rq)];
	wqe->wr_id = wr->wr_id;
	wqe->length = length;
	wqe->num_sge = wr->num_sge;
	if (wr->num_sge)
		memcpy(wqe->sge, wr->sg_list,
		       (size_t)wr->num_sge * sizeof(wqe->sge[0]));
}

int soft_post_recv(struct ibv_qp *verbs, struct ibv_recv_wr *wr,
		   struct ibv_recv_wr **bad_wr)
{
	struct soft_qp *soft = soft_qp_cast(verbs);
	struct sd_qp *qp = &soft->world.qp;
	struct sd_adapter *adapter = soft->context->adapter;
	int err = 0;

	sd_adapter_lock(adapter);
	for (; wr; wr = wr->next) {
		uint64_t length;

		err = post_judge_recv(qp, wr, &length);
		if (err) {
			*bad_wr = wr;
			break;
		}
		post_queue_recv(qp, wr, length);
	}
	sd_adapter_unlock(adapter);
	return err;
}
