// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/responder.h"

#include <assert.h>
#include <string.h>

#include "device/engine/answer.h"
#include "device/mutant/mutant.h"

enum { RESP_MESSAGE_MAX = 1u << 31 };

/* D52, D58, D65: a WRITE of one packet, whether its turn or not. */
static MUTANT_COLD void resp_write_now(struct sd_qp *qp,
				       const struct wire_packet *packet)
{
	(void)!qp->host->ops->remote_write(qp->host, qp, packet->reth.rkey,
					   packet->reth.va, packet->payload,
					   packet->payload_len);
}

static bool resp_is_small_write(const struct wire_packet *packet)
{
	return wire_opcode_is_write(packet->opcode) &&
	       wire_opcode_place(packet->opcode) == WIRE_ONLY &&
	       packet->payload_len > 0;
}

static enum resp_step resp_check_state(struct sd_qp *qp,
				       const struct wire_packet *packet)
{
	switch (qp->state) {
	case IBV_QPS_RTR:
		if (!qp->resp.comm_est_told) {
			qp->resp.comm_est_told = true;
			qp->host->ops->event(qp->host, qp, IBV_EVENT_COMM_EST);
		}
		return RESP_CHECK_PSN;
	case IBV_QPS_RTS:
	case IBV_QPS_SQD:
	case IBV_QPS_SQE: /* UC: only sending has stopped */
		return RESP_CHECK_PSN;
	default:
		if (MUTANT_ACTS(D65, qp->type == IBV_QPT_RC &&
					     qp->state == IBV_QPS_ERR &&
					     resp_is_small_write(packet)))
			resp_write_now(qp, packet);
		return RESP_DROP;
	}
}

/*
 * UC has no answers: a gap loses the message it is in, and the next FIRST or
 * ONLY begins anew from its own number (IBA vol. 1, 9.8.2.2).
 */
static enum resp_step resp_check_psn_uc(struct sd_qp *qp,
					const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	enum wire_place place = wire_opcode_place(packet->opcode);

	if (psn_cmp(packet->psn, resp->expected) &&
	    !MUTANT_ACTS(D59, resp->in_message && place != WIRE_FIRST &&
				      place != WIRE_ONLY)) {
		resp->in_message = false;
		resp->expected = packet->psn;
	}
	if (place == WIRE_FIRST || place == WIRE_ONLY)
		resp->in_message = false;
	else if (!resp->in_message)
		return RESP_DROP;
	return RESP_CHECK_ORDER;
}

/* M30 */
static MUTANT_COLD int resp_order_flat(struct psn psn, struct psn expected,
				       int order)
{
	int flat = (int)psn.v - (int)expected.v;

	return MUTANT_ACTS(M30, (flat < 0) != (order < 0)) ? flat : order;
}

static enum resp_step resp_check_psn(struct sd_qp *qp,
				     const struct wire_packet *packet)
{
	int order = psn_cmp(packet->psn, qp->resp.expected);

	if (qp->type == IBV_QPT_UC)
		return resp_check_psn_uc(qp, packet);
	if (MUTANT_ON(M30))
		order = resp_order_flat(packet->psn, qp->resp.expected, order);
	if (order < 0)
		return RESP_DUPLICATE;
	if (order > 0)
		return RESP_GAP;
	qp->resp.nak_out = false;
	return RESP_CHECK_ORDER;
}

static bool resp_begins(const struct wire_packet *packet)
{
	enum wire_place place = wire_opcode_place(packet->opcode);

	return place == WIRE_FIRST || place == WIRE_ONLY;
}

static bool resp_ends(const struct wire_packet *packet)
{
	enum wire_place place = wire_opcode_place(packet->opcode);

	return place == WIRE_LAST || place == WIRE_ONLY;
}

static enum resp_step resp_check_order(const struct sd_qp *qp,
				       const struct wire_packet *packet)
{
	const struct sd_responder *resp = &qp->resp;

	if (resp_begins(packet) == resp->in_message)
		return RESP_INVALID_REQUEST;
	if (resp->in_message &&
	    resp->in_write != wire_opcode_is_write(packet->opcode))
		return RESP_INVALID_REQUEST;
	return RESP_CHECK_OPERATION;
}

static MUTANT_COLD unsigned resp_spoil_access(const struct sd_qp *qp,
					      unsigned access)
{
	const unsigned both = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	unsigned one;

	if (MUTANT_ACTS(M32, qp->mutants.kept && qp->mutants.access != access))
		access = qp->mutants.access;
	if (MUTANT_ACTS(D90, qp->mutants.access_kept &&
				     qp->mutants.access != access))
		access = qp->mutants.access;
	one = access & both;
	if (MUTANT_ACTS(R08, one && one != both))
		access ^= both;
	return access;
}

/* What the queue pair lets its peer do, whatever the keys say. */
static enum resp_step resp_check_operation(const struct sd_qp *qp,
					   const struct wire_packet *packet)
{
	enum wire_opcode op = packet->opcode;
	unsigned access = qp->attr.qp_access_flags;
	unsigned needs = 0;

	if (wire_opcode_is_write(op))
		needs = IBV_ACCESS_REMOTE_WRITE;
	else if (wire_opcode_is_read_request(op))
		needs = IBV_ACCESS_REMOTE_READ;
	else if (wire_opcode_is_atomic(op))
		needs = IBV_ACCESS_REMOTE_ATOMIC;
	else if (!wire_opcode_is_send(op))
		return RESP_INVALID_REQUEST;
	if (MUTANT_ANY())
		access = resp_spoil_access(qp, access);
	if ((needs & ~access) &&
	    !MUTANT_ACTS(M53, wire_opcode_is_write(op) &&
				      wire_opcode_takes_recv(op)))
		return RESP_INVALID_REQUEST;
	return RESP_CHECK_LENGTH;
}

static bool resp_packet_fits(const struct sd_qp *qp,
			     const struct wire_packet *packet)
{
	uint32_t mtu = qp->mtu_bytes;
	uint32_t len = packet->payload_len;

	switch (wire_opcode_place(packet->opcode)) {
	case WIRE_FIRST:
	case WIRE_MIDDLE:
		return len == mtu;
	case WIRE_LAST:
		return len >= 1 && len <= mtu;
	default:
		return len <= mtu;
	}
}

/* A WRITE says its length first, and must keep its word. */
static bool resp_write_fits(const struct sd_qp *qp,
			    const struct wire_packet *packet)
{
	const struct sd_responder *resp = &qp->resp;
	uint64_t length = resp_begins(packet) ? packet->reth.length
					      : resp->write_length;
	uint64_t after = packet->payload_len +
			 (resp_begins(packet) ? 0 : resp->received);

	return resp_ends(packet) ? after == length : after < length;
}

static enum resp_step resp_check_length(const struct sd_qp *qp,
					const struct wire_packet *packet)
{
	enum wire_opcode op = packet->opcode;
	bool fits = resp_packet_fits(qp, packet);

	if (fits && wire_opcode_is_write(op))
		fits = resp_write_fits(qp, packet);
	if (wire_opcode_is_atomic(op))
		fits = packet->atomic.va % 8 == 0 || MUTANT_ACTS(M37, true);
	if (wire_opcode_headers(op) & WIRE_HAS_RETH)
		fits = fits && packet->reth.length <= RESP_MESSAGE_MAX;
	return fits ? RESP_CHECK_RESOURCE : RESP_INVALID_REQUEST;
}

const void *responder_recv_pd(const struct sd_qp *qp)
{
	return qp->srq ? qp->srq->pd : qp->pd;
}

static MUTANT_COLD void resp_mark_shared(struct sd_qp *qp)
{
	qp->mutants.srq_used = true;
	if (!qp->srq->slow)
		qp->srq->slow = qp;
}

static void resp_take_shared(struct sd_qp *qp, struct sd_recv_wqe *recv)
{
	struct sd_srq *srq = qp->srq;

	if (MUTANT_ANY())
		resp_mark_shared(qp);
	*recv = srq->wqe[ring_pop(&srq->ring)];
	/* One event for each arming, when the number falls below it. */
	if (srq->limit && !MUTANT_ACTS(D79, qp->type == IBV_QPT_UD) &&
	    (srq->ring.count < srq->limit ||
	     MUTANT_ACTS(D53, srq->ring.count == srq->limit)) &&
	    !MUTANT_ACTS(M10, srq->limit_deaf)) {
		srq->limit_told = true;
		srq->limit = 0;
		qp->host->ops->srq_limit(qp->host, qp);
	}
}

bool responder_take_recv(struct sd_qp *qp)
{
	struct sd_responder *resp = &qp->resp;

	/* UC: the receive of a message that was lost serves the next. */
	if (resp->recv_taken)
		return true;
	if (qp->srq ? qp->srq->ring.count == 0 : qp->rq.count == 0) {
		if (!MUTANT_ACTS(D19, qp->rq.size > 0 && !qp->mutants.ghost))
			return false;
		qp->mutants.ghost = true;
		qp->rq.count++;
	}
	if (qp->srq)
		resp_take_shared(qp, &resp->recv);
	else
		resp->recv = qp->rq_wqe[ring_pop(&qp->rq)];
	memcpy(qp->recv_sge, resp->recv.sge,
	       (size_t)resp->recv.num_sge * sizeof(qp->recv_sge[0]));
	resp->recv.sge = qp->recv_sge;
	resp->recv_taken = true;
	return true;
}

static enum resp_step resp_check_resource(struct sd_qp *qp,
					  const struct wire_packet *packet)
{
	enum wire_opcode op = packet->opcode;

	if (wire_opcode_is_read_request(op) || wire_opcode_is_atomic(op)) {
		if (qp->attr.max_dest_rd_atomic == 0 && !MUTANT_ACTS(D39, true))
			return RESP_INVALID_REQUEST;
		return answer_room(qp) ? RESP_CHECK_KEY : RESP_DROP;
	}
	if (wire_opcode_takes_recv(op) && !responder_take_recv(qp))
		return RESP_NOT_READY;
	if (resp_begins(packet))
		qp->resp.received = 0;
	if (MUTANT_ON(D24) && wire_opcode_is_write(op) &&
	    !qp->resp.recv_taken && qp->rq.count == 0 && !qp->srq &&
	    mutant_memory[MUTANT_D24]++ >= mutant_param(MUTANT_D24) &&
	    mutant_note(MUTANT_D24))
		return RESP_NOT_READY;
	return wire_opcode_is_write(op) ? RESP_CHECK_KEY : RESP_CHECK_ROOM;
}

static enum resp_step resp_check_room(const struct sd_qp *qp,
				      const struct wire_packet *packet)
{
	if (qp->resp.received + packet->payload_len > qp->resp.recv.length &&
	    !MUTANT_ACTS(M04, true))
		return RESP_TOO_LONG;
	return RESP_EXECUTE;
}

/*
 * The whole range is judged with the first packet; what comes later is judged
 * again when it is written, for the region may be gone by then.  Nothing is
 * asked of an access of no bytes (IBA vol. 1, C9-88).
 */
static enum resp_step resp_check_key(struct sd_qp *qp,
				     const struct wire_packet *packet)
{
	enum wire_opcode op = packet->opcode;
	struct sd_host *h = qp->host;
	int err = 0;

	if (wire_opcode_is_atomic(op)) {
		err = h->ops->remote_check(h, qp, packet->atomic.rkey,
					   packet->atomic.va, 8,
					   IBV_ACCESS_REMOTE_ATOMIC);
	} else if (resp_begins(packet) && packet->reth.length > 0) {
		err = h->ops->remote_check(h, qp, packet->reth.rkey,
					   packet->reth.va, packet->reth.length,
					   wire_opcode_is_write(op)
						   ? IBV_ACCESS_REMOTE_WRITE
						   : IBV_ACCESS_REMOTE_READ);
	}
	if (MUTANT_ACTS(M28, err && !wire_opcode_is_atomic(op)))
		return RESP_DROP;
	return err ? RESP_BAD_ACCESS : RESP_EXECUTE;
}

static enum resp_step resp_executed(struct sd_qp *qp,
				    const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	bool ends = resp_ends(packet);

	resp->received += packet->payload_len;
	resp->in_message = !ends;
	resp->in_write = wire_opcode_is_write(packet->opcode);
	resp->expected = psn_add(packet->psn, 1);
	if (ends)
		resp->msn = (resp->msn + 1) & 0xffffff;
	if (MUTANT_ACTS(D10, ends && resp->in_write && resp->recv_taken))
		return RESP_ACKNOWLEDGE;
	return ends && resp->recv_taken &&
			       (!resp->in_write ||
				wire_opcode_takes_recv(packet->opcode))
		       ? RESP_COMPLETE
		       : RESP_ACKNOWLEDGE;
}

static enum resp_step resp_execute_send(struct sd_qp *qp,
					const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	enum ibv_wc_status status = IBV_WC_SUCCESS;

	if (packet->payload_len > 0)
		status = qp->host->ops->scatter(qp->host, responder_recv_pd(qp),
						resp->recv.sge,
						resp->recv.num_sge,
						resp->received, packet->payload,
						packet->payload_len);
	if (status != IBV_WC_SUCCESS &&
	    !MUTANT_ACTS(M04, status == IBV_WC_LOC_LEN_ERR))
		return RESP_BAD_RECEIVE;
	/* Before its completion, so that the key is dead when that is seen. */
	if ((wire_opcode_headers(packet->opcode) & WIRE_HAS_IETH) &&
	    !MUTANT_ACTS(D64, qp->resp.received > 0) &&
	    qp->host->ops->invalidate(qp->host, qp, packet->ieth_rkey))
		return RESP_BAD_INVALIDATE;
	return resp_executed(qp, packet);
}

static uint64_t resp_write_place(const struct sd_responder *resp)
{
	uint64_t va = resp->write_va + resp->received;

	if (MUTANT_ACTS(D82, (va ^ resp->write_va) >> 32))
		va -= UINT64_C(1) << 32;
	return va;
}

static enum resp_step resp_execute_write(struct sd_qp *qp,
					 const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;

	if (resp_begins(packet)) {
		resp->write_rkey = packet->reth.rkey;
		resp->write_va = packet->reth.va;
		resp->write_length = packet->reth.length;
	}
	if (packet->payload_len > 0 &&
	    qp->host->ops->remote_write(qp->host, qp, resp->write_rkey,
					resp_write_place(resp), packet->payload,
					packet->payload_len))
		return RESP_BAD_ACCESS;
	return resp_executed(qp, packet);
}

static enum resp_step resp_execute_fetch(struct sd_qp *qp,
					 const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	uint64_t before = 0;
	uint32_t packets = 1;
	bool room;

	if (wire_opcode_is_atomic(packet->opcode)) {
		if (qp->host->ops->remote_atomic(qp->host, qp, packet, &before))
			return RESP_BAD_ACCESS;
	} else if (packet->reth.length > 0) {
		packets = (packet->reth.length - 1) / qp->mtu_bytes + 1;
	}
	resp->expected = psn_add(packet->psn, packets);
	resp->msn = (resp->msn + 1) & 0xffffff;
	replay_remember(qp, packet, packets, before);
	room = wire_opcode_is_atomic(packet->opcode)
		       ? answer_atomic(qp, packet->psn, before)
		       : answer_read(qp, packet);
	assert(room); /* RESP_CHECK_RESOURCE saw to it */
	return RESP_DONE;
}

static enum resp_step resp_execute(struct sd_qp *qp,
				   const struct wire_packet *packet)
{
	if (wire_opcode_is_send(packet->opcode))
		return resp_execute_send(qp, packet);
	if (wire_opcode_is_write(packet->opcode))
		return resp_execute_write(qp, packet);
	return resp_execute_fetch(qp, packet);
}

static MUTANT_COLD void resp_spoil_complete(struct sd_qp *qp,
					    const struct wire_packet *packet,
					    struct sd_cqe *cqe)
{
	struct sd_responder *resp = &qp->resp;
	struct sd_srq *srq = qp->srq;

	if (MUTANT_ACTS(M05, resp->in_write &&
				     packet->payload_len != resp->received))
		cqe->wc.byte_len = packet->payload_len;
	if (MUTANT_ACTS(D49,
			cqe->solicited && (cqe->wc.wc_flags & IBV_WC_WITH_IMM)))
		cqe->solicited = false;
	if (MUTANT_ACTS(M07, resp->in_write))
		cqe->wc.opcode = IBV_WC_RECV;
	if (srq && srq->slow == qp)
		srq->slow = NULL;
	if (MUTANT_ACTS(M11, srq && srq->slow && srq->slow->resp.recv_taken))
		srq->slow_freed = true;
}

static enum resp_step resp_complete(struct sd_qp *qp,
				    const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	unsigned headers = wire_opcode_headers(packet->opcode);
	struct sd_cqe cqe = {
		.wc.wr_id = resp->recv.wr_id,
		.wc.status = IBV_WC_SUCCESS,
		.wc.opcode = resp->in_write ? IBV_WC_RECV_RDMA_WITH_IMM
					    : IBV_WC_RECV,
		.wc.byte_len = (uint32_t)resp->received,
		.wc.qp_num = qp->qpn,
		.wc.src_qp = qp->attr.dest_qp_num,
		.solicited = packet->solicited,
	};

	if (headers & WIRE_HAS_IMM) {
		cqe.wc.wc_flags = IBV_WC_WITH_IMM;
		cqe.wc.imm_data = packet->imm;
	} else if (headers & WIRE_HAS_IETH) {
		cqe.wc.wc_flags = IBV_WC_WITH_INV;
		cqe.wc.invalidated_rkey = packet->ieth_rkey;
	}
	if (MUTANT_ANY())
		resp_spoil_complete(qp, packet, &cqe);
	resp->recv_taken = false;
	qp->host->counters.rdma_recvs++;
	qp->host->ops->complete(
		qp->host, MUTANT_ACTS(D61, qp->srq) ? qp->send_cq : qp->recv_cq,
		&cqe);
	return RESP_ACKNOWLEDGE;
}

/* M29 */
static MUTANT_COLD enum resp_step
resp_atomic_again(struct sd_qp *qp, const struct wire_packet *packet)
{
	struct wire_packet again = *packet;
	uint64_t before;

	mutant_note(MUTANT_M29);
	if (mutant_param(MUTANT_M29)) {
		/* Adding nothing is reading. */
		again.opcode = WIRE_RC_FETCH_ADD;
		again.atomic.swap_add = 0;
	}
	if (qp->host->ops->remote_atomic(qp->host, qp, &again, &before) ||
	    !answer_atomic(qp, packet->psn, before))
		return RESP_DROP;
	return RESP_DONE;
}

/*
 * A duplicate READ is read again, a duplicate atomic answered from memory, and
 * what neither remembers is dropped; all else is done, and said to be.
 */
static enum resp_step resp_duplicate(struct sd_qp *qp,
				     const struct wire_packet *packet)
{
	const struct sd_replay *replay;
	bool answered;

	qp->host->counters.duplicate_request++;
	if (MUTANT_ACTS(D26, packet->opcode == WIRE_RC_SEND_ONLY &&
				     !qp->resp.in_message)) {
		qp->resp.expected = packet->psn;
		return RESP_CHECK_ORDER;
	}
	if (wire_opcode_is_read_request(packet->opcode)) {
		if (MUTANT_ACTS(D40, true))
			return RESP_BAD_ACCESS;
		answered = replay_find(qp, packet) && answer_read(qp, packet);
	} else if (wire_opcode_is_atomic(packet->opcode)) {
		replay = replay_find(qp, packet);
		if (replay && MUTANT_ON(M29))
			return resp_atomic_again(qp, packet);
		answered = replay &&
			   answer_atomic(qp, packet->psn, replay->before);
	} else {
		if (MUTANT_ACTS(D58, resp_is_small_write(packet)))
			resp_write_now(qp, packet);
		answer_ack(qp);
		answered = true;
	}
	return answered ? RESP_DONE : RESP_DROP;
}

static enum resp_step resp_gap(struct sd_qp *qp,
			       const struct wire_packet *packet)
{
	qp->host->counters.out_of_seq_request++;
	if (MUTANT_ACTS(D52, qp->resp.nak_out && resp_is_small_write(packet)))
		resp_write_now(qp, packet);
	if (qp->resp.nak_out)
		return RESP_DONE;
	qp->resp.nak_out = true;
	answer_nak(qp, WIRE_NAK_PSN_SEQUENCE, qp->resp.expected);
	return RESP_DONE;
}

static enum resp_step resp_not_ready(struct sd_qp *qp)
{
	if (qp->type == IBV_QPT_UC)
		return RESP_DROP;
	qp->host->counters.send_rnr_err++;
	/* What follows this packet is dropped unanswered until it is back. */
	qp->resp.nak_out = true;
	answer_nak(qp,
		   WIRE_AETH_RNR_NAK | (MUTANT_ACTS(M32, qp->mutants.kept)
						? qp->mutants.min_rnr_timer
					: MUTANT_ACTS(M52, qp->srq)
						? 1
						: qp->attr.min_rnr_timer),
		   qp->resp.expected);
	return RESP_DONE;
}

static void resp_lose_message(struct sd_qp *qp,
			      const struct wire_packet *packet)
{
	qp->resp.in_message = false;
	qp->resp.expected = psn_add(packet->psn, 1);
	qp->host->counters.dropped_pkts++;
}

static const struct resp_error {
	uint8_t syndrome;
	enum ibv_wc_status status; /* of a receive that was taken */
	enum ibv_event_type event; /* of one that tells nobody otherwise */
} resp_errors[] = {
	[RESP_INVALID_REQUEST] = { WIRE_NAK_INVALID_REQUEST,
				   IBV_WC_REM_INV_REQ_ERR,
				   IBV_EVENT_QP_REQ_ERR },
	[RESP_TOO_LONG] = { WIRE_NAK_INVALID_REQUEST, IBV_WC_LOC_LEN_ERR,
			    IBV_EVENT_QP_REQ_ERR },
	[RESP_BAD_ACCESS] = { WIRE_NAK_REMOTE_ACCESS, IBV_WC_LOC_ACCESS_ERR,
			      IBV_EVENT_QP_ACCESS_ERR },
	[RESP_BAD_RECEIVE] = { WIRE_NAK_REMOTE_OPERATION, IBV_WC_LOC_PROT_ERR,
			       IBV_EVENT_QP_FATAL },
	[RESP_BAD_INVALIDATE] = { WIRE_NAK_REMOTE_OPERATION,
				  IBV_WC_LOC_PROT_ERR, IBV_EVENT_QP_FATAL },
};

/*
 * RC: the peer is told by a NAK, the application by the receive that the
 * message had taken, or else by an event, and the queue pair is in ERR.  UC:
 * the message is lost and nobody is told.
 */
static enum resp_step resp_refuse(struct sd_qp *qp, enum resp_step error,
				  const struct wire_packet *packet)
{
	const struct resp_error *e = &resp_errors[error];

	if (qp->type == IBV_QPT_UC) {
		resp_lose_message(qp, packet);
		return RESP_DONE;
	}
	if (!qp->resp.recv_taken)
		qp->host->ops->event(qp->host, qp, e->event);
	answer_nak(qp, e->syndrome, packet->psn);
	qp_fail_recv(qp, e->status);
	return RESP_DONE;
}

static enum resp_step resp_step(struct sd_qp *qp, enum resp_step step,
				const struct wire_packet *packet)
{
	switch (step) {
	case RESP_CHECK_STATE:
		return resp_check_state(qp, packet);
	case RESP_CHECK_PSN:
		return resp_check_psn(qp, packet);
	case RESP_CHECK_ORDER:
		return resp_check_order(qp, packet);
	case RESP_CHECK_OPERATION:
		return resp_check_operation(qp, packet);
	case RESP_CHECK_LENGTH:
		return resp_check_length(qp, packet);
	case RESP_CHECK_RESOURCE:
		return resp_check_resource(qp, packet);
	case RESP_CHECK_ROOM:
		return resp_check_room(qp, packet);
	case RESP_CHECK_KEY:
		return resp_check_key(qp, packet);
	case RESP_EXECUTE:
		return resp_execute(qp, packet);
	case RESP_COMPLETE:
		return resp_complete(qp, packet);
	case RESP_ACKNOWLEDGE:
		if (packet->ack_request && qp->type == IBV_QPT_RC &&
		    qp->state != IBV_QPS_ERR)
			answer_ack(qp);
		return RESP_DONE;
	case RESP_DUPLICATE:
		return resp_duplicate(qp, packet);
	case RESP_GAP:
		return resp_gap(qp, packet);
	case RESP_NOT_READY:
		return resp_not_ready(qp);
	case RESP_INVALID_REQUEST:
	case RESP_TOO_LONG:
	case RESP_BAD_ACCESS:
	case RESP_BAD_RECEIVE:
	case RESP_BAD_INVALIDATE:
		return resp_refuse(qp, step, packet);
	case RESP_DROP:
		qp->host->counters.dropped_pkts++;
		return RESP_DONE;
	case RESP_DONE:
		break;
	}
	return RESP_DONE;
}

void responder_receive(struct sd_qp *qp, const struct wire_packet *packet)
{
	enum resp_step step = RESP_CHECK_STATE;

	while (step != RESP_DONE)
		step = resp_step(qp, step, packet);
}
