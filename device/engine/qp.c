// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What all three engines share of a queue pair: completing, failing, flushing,
 * and who gets a packet or a timer.
 */
#include "device/engine/qp.h"

#include <string.h>

#include "device/engine/completer.h"
#include "device/engine/datagram.h"
#include "device/engine/operation.h"
#include "device/engine/requester.h"
#include "device/engine/responder.h"
#include "device/engine/retry.h"

void qp_reset(struct sd_qp *qp)
{
	ring_clear(&qp->sq);
	ring_clear(&qp->rq);
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->state = IBV_QPS_RESET;
	qp->mtu_bytes = 0;
	qp->timeout_ns = 0;
	qp->drained_told = false;
	qp->last_wqe_told = false;
	qp->resp.answer_ring = ring_make(SD_ANSWERS);
	qp->host->ops->timer(qp->host, qp, 0);
}

void qp_complete_send(struct sd_qp *qp, enum ibv_wc_status status)
{
	const struct sd_send_wqe *wqe = qp_send_wqe(qp, 0);
	struct sd_cqe cqe = {
		.wc.wr_id = wqe->wr_id,
		.wc.status = status,
		.wc.opcode = operation_wc(wqe->opcode),
		.wc.byte_len = wqe->length,
		.wc.qp_num = qp->qpn,
		.solicited = status != IBV_WC_SUCCESS,
	};
	/* An error is always told (IBA vol. 1, 10.7.3.1). */
	bool told = wqe->signaled || status != IBV_WC_SUCCESS;

	ring_pop(&qp->sq);
	if (qp->req.cursor > 0)
		qp->req.cursor--;
	else
		qp->req.cursor_packet = 0;
	if (told)
		qp->host->ops->complete(qp->host, qp->send_cq, &cqe);
}

void qp_complete_recv_error(struct sd_qp *qp, uint64_t wr_id,
			    enum ibv_wc_status status)
{
	struct sd_cqe cqe = {
		.wc.wr_id = wr_id,
		.wc.status = status,
		.wc.opcode = IBV_WC_RECV,
		.wc.qp_num = qp->qpn,
		.solicited = true,
	};

	qp->host->ops->complete(qp->host, qp->recv_cq, &cqe);
}

static void qp_flush_send(struct sd_qp *qp)
{
	while (qp->sq.count > 0)
		qp_complete_send(qp, IBV_WC_WR_FLUSH_ERR);
}

/* Receives that are shared stay for the others. */
static void qp_flush_recv(struct sd_qp *qp)
{
	if (qp->resp.recv_taken) {
		qp->resp.recv_taken = false;
		qp_complete_recv_error(qp, qp->resp.recv.wr_id,
				       IBV_WC_WR_FLUSH_ERR);
	}
	while (qp->rq.count > 0) {
		uint32_t slot = ring_pop(&qp->rq);

		qp_complete_recv_error(qp, qp->rq_wqe[slot].wr_id,
				       IBV_WC_WR_FLUSH_ERR);
	}
	if (qp->srq && !qp->last_wqe_told) {
		qp->last_wqe_told = true;
		qp->host->ops->event(qp->host, qp,
				     IBV_EVENT_QP_LAST_WQE_REACHED);
	}
}

static void qp_stop_sending(struct sd_qp *qp)
{
	qp->req.ack_deadline_ns = 0;
	qp->req.rnr_deadline_ns = 0;
	qp_timer_update(qp);
}

void qp_enter_error(struct sd_qp *qp)
{
	qp->state = IBV_QPS_ERR;
	qp_stop_sending(qp);
	qp->resp.in_message = false;
	qp_flush_send(qp);
	qp_flush_recv(qp);
}

void qp_enter_sqe(struct sd_qp *qp)
{
	qp->state = IBV_QPS_SQE;
	qp_stop_sending(qp);
	qp_flush_send(qp);
}

void qp_fail_send(struct sd_qp *qp, enum ibv_wc_status status)
{
	qp_complete_send(qp, status);
	if (qp->type == IBV_QPT_RC)
		qp_enter_error(qp);
	else
		qp_enter_sqe(qp);
}

void qp_fail_recv(struct sd_qp *qp, enum ibv_wc_status status)
{
	if (qp->resp.recv_taken) {
		qp->resp.recv_taken = false;
		qp_complete_recv_error(qp, qp->resp.recv.wr_id, status);
	}
	qp_enter_error(qp);
}

void qp_timer_update(struct sd_qp *qp)
{
	struct sd_requester *req = &qp->req;
	uint64_t earliest = req->ack_deadline_ns;

	if (req->rnr_deadline_ns &&
	    (!earliest || req->rnr_deadline_ns < earliest))
		earliest = req->rnr_deadline_ns;
	if (earliest == req->timer_ns)
		return;
	req->timer_ns = earliest;
	qp->host->ops->timer(qp->host, qp, earliest);
}

void qp_timer(struct sd_qp *qp, uint64_t now_ns)
{
	retry_timer(qp, now_ns);
	qp_timer_update(qp);
}

void qp_receive(struct sd_qp *qp, const struct wire_packet *packet,
		const uint8_t *header, uint64_t now_ns)
{
	if (!wire_opcode_is_request(packet->opcode))
		completer_receive(qp, packet, now_ns);
	else if (qp->type == IBV_QPT_UD)
		datagram_receive(qp, packet, header);
	else
		responder_receive(qp, packet);
	qp_timer_update(qp);
}

bool qp_busy(const struct sd_qp *qp)
{
	const struct sd_responder *resp = &qp->resp;

	for (uint32_t nth = 0; nth < resp->answer_ring.count; nth++)
		if (resp->answers[ring_at(&resp->answer_ring, nth)].kind ==
		    SD_ANSWER_READ)
			return true;
	return false;
}
