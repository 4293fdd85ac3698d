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
#include "device/mutant/mutant.h"

/* M33: what is left of the life before. */
static MUTANT_COLD void qp_reset_dirty(struct sd_qp *qp)
{
	const struct sd_responder before = qp->resp;

	memset(&qp->resp, 0, sizeof(qp->resp));
	qp->mutants.stale = true;
	qp->resp.expected = before.expected;
	if (!qp->mutants.in_message)
		return;
	qp->resp.recv = before.recv;
	qp->resp.recv_taken = true;
}

static void qp_reset_responder(struct sd_qp *qp)
{
	bool half;

	if (MUTANT_ON(M33) && qp->state == IBV_QPS_ERR) {
		qp_reset_dirty(qp);
		return;
	}
	half = MUTANT_ACTS(M46, qp->resp.in_message);
	memset(&qp->resp, 0, sizeof(qp->resp));
	qp->resp.in_message = half;
	memset(&qp->mutants, 0, sizeof(qp->mutants));
}

void qp_reset(struct sd_qp *qp)
{
	uint32_t peer = qp->attr.dest_qp_num;

	if (MUTANT_ON(M11) && qp->srq && qp->srq->slow == qp)
		qp->srq->slow = NULL;
	if (MUTANT_ACTS(D85, qp->sq.count > 0 && qp->sq.size > 1))
		qp->sq.size--;
	ring_clear(&qp->sq);
	ring_clear(&qp->rq);
	memset(&qp->req, 0, sizeof(qp->req));
	qp_reset_responder(qp);
	if (MUTANT_ON(D83))
		qp->mutants.peer = peer;
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->state = IBV_QPS_RESET;
	qp->mtu_bytes = 0;
	qp->window = REQ_WINDOW_PACKETS;
	qp->timeout_ns = 0;
	qp->drained_told = false;
	qp->last_wqe_told = false;
	qp->resp.answer_ring = ring_make(qp->answer_slots);
	if (qp->replay_slots)
		memset(qp->replays, 0,
		       qp->replay_slots * sizeof(qp->replays[0]));
	qp->host->ops->timer(qp->host, qp, 0);
}

/* The completion of the oldest entry is told here, if at all. */
static MUTANT_COLD void qp_spoil_send(struct sd_qp *qp,
				      const struct sd_send_wqe *wqe,
				      struct sd_cqe *cqe, bool told)
{
	bool good = cqe->wc.status == IBV_WC_SUCCESS;
	bool flush = cqe->wc.status == IBV_WC_WR_FLUSH_ERR;
	bool atomic = operation_is_atomic(wqe->opcode);
	bool ends = operation_is_fetch(wqe->opcode) ||
		    wqe->opcode == IBV_WR_LOCAL_INV;
	struct sd_cq *cq = qp->send_cq;

	if (MUTANT_ACTS(M05, atomic && good &&
				     mutant_memory[MUTANT_M05] != wqe->length))
		cqe->wc.byte_len = (uint32_t)mutant_memory[MUTANT_M05];
	mutant_memory[MUTANT_M05] = cqe->wc.byte_len;
	if (MUTANT_ACTS(M09, good && !told && !qp->sig_all &&
				     qp->sq.count > qp->sq.size / 4 * 3))
		told = true;
	if (MUTANT_ACTS(D68, !told && operation_is_local(wqe->opcode)))
		told = true;
	if (MUTANT_ACTS(D77,
			good && qp->sig_all && operation_is_fetch(wqe->opcode)))
		told = false;
	if (MUTANT_ACTS(M19, !good && !flush && qp->sq.count > 1))
		cqe->wc.wr_id = qp_send_wqe(qp, qp->sq.count - 1)->wr_id;
	if (MUTANT_ACTS(M21, flush && cq != qp->recv_cq))
		cq = qp->recv_cq;
	if (MUTANT_ACTS(D20, flush))
		cqe->wc.status = IBV_WC_SUCCESS;
	if (MUTANT_ACTS(D23, flush && wqe->opcode == IBV_WR_BIND_MW))
		cqe->wc.status = IBV_WC_MW_BIND_ERR;
	if (told)
		qp->host->ops->complete(qp->host, cq, cqe);
	if (MUTANT_ACTS(M24, flush && wqe->begun && ends))
		qp->host->ops->complete(qp->host, cq, cqe);
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
		.solicited = status != IBV_WC_SUCCESS &&
			     !MUTANT_ACTS(D71, true),
	};
	/* An error is always told (IBA vol. 1, 10.7.3.1). */
	bool told = wqe->signaled || status != IBV_WC_SUCCESS;

	if (MUTANT_ANY()) {
		qp_spoil_send(qp, wqe, &cqe, told);
		told = false;
	}
	ring_pop(&qp->sq);
	if (qp->req.cursor > 0)
		qp->req.cursor--;
	else
		qp->req.cursor_packet = 0;
	if (told)
		qp->host->ops->complete(qp->host, qp->send_cq, &cqe);
}

/* M19 */
static MUTANT_COLD uint64_t qp_newest_recv(const struct sd_qp *qp,
					   uint64_t wr_id)
{
	const struct ring *ring = qp->srq ? &qp->srq->ring : &qp->rq;
	const struct sd_recv_wqe *wqe = qp->srq ? qp->srq->wqe : qp->rq_wqe;

	if (!MUTANT_ACTS(M19, ring->count > 0))
		return wr_id;
	return wqe[ring_at(ring, ring->count - 1)].wr_id;
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
	struct sd_cq *cq = qp->recv_cq;

	if (MUTANT_ON(M19) && status != IBV_WC_WR_FLUSH_ERR)
		cqe.wc.wr_id = qp_newest_recv(qp, wr_id);
	if (MUTANT_ACTS(D73, status != IBV_WC_WR_FLUSH_ERR &&
				     qp->send_cq != qp->recv_cq))
		cq = qp->send_cq;
	qp->host->ops->complete(qp->host, cq, &cqe);
}

static void qp_flush_send(struct sd_qp *qp)
{
	if (MUTANT_ACTS(D95, qp->sq.count > mutant_param(MUTANT_D95)))
		qp->sq.count = (uint32_t)mutant_param(MUTANT_D95);
	while (qp->sq.count > 0)
		qp_complete_send(qp, IBV_WC_WR_FLUSH_ERR);
}

/* M13: no event, or one too early.  True: that was all. */
static MUTANT_COLD bool qp_last_wqe_spoilt(struct sd_qp *qp)
{
	bool held = qp->srq && qp->resp.recv_taken;

	if (!qp->srq || (qp->mutants.srq_used && !held))
		return false;
	if (qp->last_wqe_told)
		return true;
	mutant_note(MUTANT_M13);
	qp->last_wqe_told = true;
	if (!held)
		return true;
	qp->host->ops->event(qp->host, qp, IBV_EVENT_QP_LAST_WQE_REACHED);
	qp->mutants.last_wqe_turns = mutant_param(MUTANT_M13) + 1;
	qp->host->ops->wake(qp->host, qp);
	return true;
}

void qp_last_wqe_turn(struct sd_qp *qp)
{
	if (qp->mutants.last_wqe_turns == 0)
		return;
	if (--qp->mutants.last_wqe_turns > 0) {
		qp->host->ops->wake(qp->host, qp);
		return;
	}
	qp->resp.recv_taken = false;
	qp_complete_recv_error(qp, qp->resp.recv.wr_id, IBV_WC_WR_FLUSH_ERR);
}

/* The receive of a message that is in progress. */
static void qp_flush_taken(struct sd_qp *qp)
{
	if (!qp->resp.recv_taken)
		return;
	qp->resp.recv_taken = false;
	qp_complete_recv_error(qp, qp->resp.recv.wr_id, IBV_WC_WR_FLUSH_ERR);
}

/* Receives that are shared stay for the others. */
static void qp_flush_recv(struct sd_qp *qp)
{
	if (MUTANT_ON(M13) && qp_last_wqe_spoilt(qp))
		return;
	if (!MUTANT_ACTS(D57, qp->resp.recv_taken && qp->rq.count > 0))
		qp_flush_taken(qp);
	while (qp->rq.count > 0) {
		uint32_t slot = ring_pop(&qp->rq);

		qp_complete_recv_error(qp, qp->rq_wqe[slot].wr_id,
				       IBV_WC_WR_FLUSH_ERR);
	}
	qp_flush_taken(qp); /* D57 */
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
	if (MUTANT_ON(M33))
		qp->mutants.in_message |= qp->resp.recv_taken;
	qp->resp.in_message = false;
	qp_flush_send(qp);
	qp_flush_recv(qp);
}

/* UC and UD: a local error stops the send queue and not the receive queue. */
static void qp_enter_sqe(struct sd_qp *qp)
{
	qp->state = IBV_QPS_SQE;
	qp->mutants.sqe = MUTANT_ON(D89);
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
		if (MUTANT_ACTS(D91, qp->srq))
			qp->srq->lost++;
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
		if (qp->answers[ring_at(&resp->answer_ring, nth)].kind ==
		    SD_ANSWER_READ)
			return true;
	return false;
}
