// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/responder.h"

#include <string.h>

const char *resp_step_name(enum resp_step step)
{
	static const char *const names[] = {
		[RESP_CHECK_STATE] = "check-state",
		[RESP_CHECK_PSN] = "check-psn",
		[RESP_CHECK_ORDER] = "check-order",
		[RESP_CHECK_OPERATION] = "check-operation",
		[RESP_CHECK_LENGTH] = "check-length",
		[RESP_CHECK_RESOURCE] = "check-resource",
		[RESP_CHECK_ROOM] = "check-room",
		[RESP_EXECUTE] = "execute",
		[RESP_COMPLETE] = "complete",
		[RESP_ACKNOWLEDGE] = "acknowledge",
		[RESP_DUPLICATE] = "duplicate",
		[RESP_GAP] = "gap",
		[RESP_NOT_READY] = "not-ready",
		[RESP_INVALID_REQUEST] = "invalid-request",
		[RESP_TOO_LONG] = "too-long",
		[RESP_BAD_RECEIVE] = "bad-receive",
		[RESP_DROP] = "drop",
		[RESP_DONE] = "done",
	};

	return names[step];
}

static enum resp_step resp_check_state(struct sd_qp *qp)
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
		return RESP_CHECK_PSN;
	default:
		return RESP_DROP;
	}
}

static enum resp_step resp_check_psn(struct sd_qp *qp,
				     const struct wire_packet *packet)
{
	int order = psn_cmp(packet->psn, qp->resp.expected);

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
	if (resp_begins(packet) == qp->resp.in_message)
		return RESP_INVALID_REQUEST;
	return RESP_CHECK_OPERATION;
}

/* This adapter executes SENDs; invalidation it does not know. */
static enum resp_step resp_check_operation(const struct wire_packet *packet)
{
	if (!wire_opcode_is_send(packet->opcode) ||
	    (wire_opcode_headers(packet->opcode) & WIRE_HAS_IETH))
		return RESP_INVALID_REQUEST;
	return RESP_CHECK_LENGTH;
}

static enum resp_step resp_check_length(const struct sd_qp *qp,
					const struct wire_packet *packet)
{
	uint32_t mtu = qp->mtu_bytes;
	uint32_t len = packet->payload_len;
	bool fits;

	switch (wire_opcode_place(packet->opcode)) {
	case WIRE_FIRST:
	case WIRE_MIDDLE:
		fits = len == mtu;
		break;
	case WIRE_LAST:
		fits = len >= 1 && len <= mtu;
		break;
	default:
		fits = len <= mtu;
	}
	return fits ? RESP_CHECK_RESOURCE : RESP_INVALID_REQUEST;
}

/* Take the oldest receive; its list is copied, for its slot is free now. */
static void resp_take_recv(struct sd_qp *qp)
{
	struct sd_responder *resp = &qp->resp;

	resp->recv = qp->rq_wqe[ring_pop(&qp->rq)];
	memcpy(resp->recv_sge, resp->recv.sge,
	       (size_t)resp->recv.num_sge * sizeof(resp->recv_sge[0]));
	resp->recv.sge = resp->recv_sge;
	resp->recv_taken = true;
	resp->received = 0;
}

static enum resp_step resp_check_resource(struct sd_qp *qp,
					  const struct wire_packet *packet)
{
	if (!resp_begins(packet))
		return RESP_CHECK_ROOM;
	if (qp->rq.count == 0)
		return RESP_NOT_READY;
	resp_take_recv(qp);
	return RESP_CHECK_ROOM;
}

static enum resp_step resp_check_room(const struct sd_qp *qp,
				      const struct wire_packet *packet)
{
	if (qp->resp.received + packet->payload_len > qp->resp.recv.length)
		return RESP_TOO_LONG;
	return RESP_EXECUTE;
}

static enum resp_step resp_execute(struct sd_qp *qp,
				   const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	enum ibv_wc_status status = IBV_WC_SUCCESS;

	if (packet->payload_len > 0)
		status = qp->host->ops->scatter(qp->host, qp, resp->recv.sge,
						resp->recv.num_sge,
						resp->received, packet->payload,
						packet->payload_len);
	if (status != IBV_WC_SUCCESS)
		return RESP_BAD_RECEIVE;
	resp->received += packet->payload_len;
	resp->in_message = !resp_ends(packet);
	resp->expected = psn_add(resp->expected, 1);
	return resp_ends(packet) ? RESP_COMPLETE : RESP_ACKNOWLEDGE;
}

static enum resp_step resp_complete(struct sd_qp *qp,
				    const struct wire_packet *packet)
{
	struct sd_responder *resp = &qp->resp;
	bool imm = wire_opcode_headers(packet->opcode) & WIRE_HAS_IMM;
	struct sd_cqe cqe = {
		.wc.wr_id = resp->recv.wr_id,
		.wc.status = IBV_WC_SUCCESS,
		.wc.opcode = IBV_WC_RECV,
		.wc.byte_len = (uint32_t)resp->received,
		.wc.qp_num = qp->qpn,
		.wc.src_qp = qp->attr.dest_qp_num,
		.wc.wc_flags = imm ? IBV_WC_WITH_IMM : 0,
		.solicited = packet->solicited,
	};

	if (imm)
		cqe.wc.imm_data = packet->imm;
	resp->recv_taken = false;
	resp->msn = (resp->msn + 1) & 0xffffff;
	qp->host->counters.rdma_recvs++;
	qp->host->ops->complete(qp->host, qp->recv_cq, &cqe);
	return RESP_ACKNOWLEDGE;
}

/*
 * One answer waits at most.  An acknowledgement covers older ones and may
 * replace them; a NAK may not be replaced, so it goes out first.
 */
static void resp_answer_later(struct sd_qp *qp, uint8_t syndrome,
			      struct psn psn)
{
	if (qp->resp.answer_due &&
	    (qp->resp.answer_syndrome & WIRE_AETH_KIND_MASK) != WIRE_AETH_ACK)
		responder_answer(qp);
	qp->resp.answer_due = true;
	qp->resp.answer_syndrome = syndrome;
	qp->resp.answer_psn = psn;
}

static void resp_ack_later(struct sd_qp *qp)
{
	resp_answer_later(qp, WIRE_AETH_ACK_UNLIMITED,
			  psn_add(qp->resp.expected, PSN_MASK));
}

/* A NAK also acknowledges all before it. */
static enum resp_step resp_nak(struct sd_qp *qp, uint8_t syndrome)
{
	resp_answer_later(qp, syndrome, qp->resp.expected);
	return RESP_DONE;
}

static enum resp_step resp_gap(struct sd_qp *qp)
{
	qp->host->counters.out_of_seq_request++;
	if (qp->resp.nak_out)
		return RESP_DONE;
	qp->resp.nak_out = true;
	return resp_nak(qp, WIRE_NAK_PSN_SEQUENCE);
}

static enum resp_step resp_not_ready(struct sd_qp *qp)
{
	qp->host->counters.send_rnr_err++;
	/* What follows this packet is dropped unanswered until it is back. */
	qp->resp.nak_out = true;
	return resp_nak(qp, WIRE_AETH_RNR_NAK | qp->attr.min_rnr_timer);
}

/* An error that no receive completion tells of is told by an event. */
static enum resp_step resp_invalid(struct sd_qp *qp)
{
	if (!qp->resp.recv_taken)
		qp->host->ops->event(qp->host, qp, IBV_EVENT_QP_REQ_ERR);
	resp_nak(qp, WIRE_NAK_INVALID_REQUEST);
	qp_fail_recv(qp, IBV_WC_REM_INV_REQ_ERR);
	return RESP_DONE;
}

static enum resp_step resp_refuse_recv(struct sd_qp *qp, uint8_t syndrome,
				       enum ibv_wc_status status)
{
	resp_nak(qp, syndrome);
	qp_fail_recv(qp, status);
	return RESP_DONE;
}

static enum resp_step resp_step(struct sd_qp *qp, enum resp_step step,
				const struct wire_packet *packet)
{
	switch (step) {
	case RESP_CHECK_STATE:
		return resp_check_state(qp);
	case RESP_CHECK_PSN:
		return resp_check_psn(qp, packet);
	case RESP_CHECK_ORDER:
		return resp_check_order(qp, packet);
	case RESP_CHECK_OPERATION:
		return resp_check_operation(packet);
	case RESP_CHECK_LENGTH:
		return resp_check_length(qp, packet);
	case RESP_CHECK_RESOURCE:
		return resp_check_resource(qp, packet);
	case RESP_CHECK_ROOM:
		return resp_check_room(qp, packet);
	case RESP_EXECUTE:
		return resp_execute(qp, packet);
	case RESP_COMPLETE:
		return resp_complete(qp, packet);
	case RESP_ACKNOWLEDGE:
		if (packet->ack_request && qp->state != IBV_QPS_ERR)
			resp_ack_later(qp);
		return RESP_DONE;
	case RESP_DUPLICATE:
		qp->host->counters.duplicate_request++;
		/* An unsent NAK says the same and more. */
		if (!qp->resp.answer_due)
			resp_ack_later(qp);
		return RESP_DONE;
	case RESP_GAP:
		return resp_gap(qp);
	case RESP_NOT_READY:
		return resp_not_ready(qp);
	case RESP_INVALID_REQUEST:
		return resp_invalid(qp);
	case RESP_TOO_LONG:
		return resp_refuse_recv(qp, WIRE_NAK_INVALID_REQUEST,
					IBV_WC_LOC_LEN_ERR);
	case RESP_BAD_RECEIVE:
		return resp_refuse_recv(qp, WIRE_NAK_REMOTE_OPERATION,
					IBV_WC_LOC_PROT_ERR);
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

bool responder_answer(struct sd_qp *qp)
{
	struct wire_packet packet = {
		.opcode = WIRE_RC_ACK,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = qp->attr.dest_qp_num,
		.psn = qp->resp.answer_psn,
		.aeth.syndrome = qp->resp.answer_syndrome,
		.aeth.msn = qp->resp.msn,
	};
	size_t bytes = wire_packet_bytes(&packet);
	uint8_t *at;

	if (!qp->resp.answer_due)
		return true;
	at = qp->host->ops->packet_begin(qp->host, qp, bytes);
	if (!at) {
		qp->host->counters.ack_deferred++;
		return false;
	}
	wire_packet_encode(&packet, at);
	qp->host->ops->packet_end(qp->host, qp, bytes);
	qp->resp.answer_due = false;
	return true;
}
