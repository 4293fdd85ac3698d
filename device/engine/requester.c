// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/requester.h"

#include <assert.h>
#include <string.h>

#include "device/engine/qp_state.h"

const char *req_step_name(enum req_step step)
{
	static const char *const names[] = {
		[REQ_SENT] = "sent",	 [REQ_EMPTY] = "empty",
		[REQ_WINDOW] = "window", [REQ_RECEIVER] = "receiver",
		[REQ_LINK] = "link",	 [REQ_FAILED] = "failed",
	};

	return names[step];
}

/* Give the entry under the cursor its PSNs, when it is new. */
static void req_begin_entry(struct sd_qp *qp, struct sd_send_wqe *wqe)
{
	if (wqe->begun)
		return;
	wqe->begun = true;
	wqe->psn_first = qp->req.fresh;
	wqe->packets = wqe->length ? (wqe->length - 1) / qp->mtu_bytes + 1 : 1;
	qp->req.fresh = psn_add(qp->req.fresh, wqe->packets);
	qp->host->counters.rdma_sends++;
}

static enum wire_opcode req_opcode(const struct sd_send_wqe *wqe, bool first,
				   bool last)
{
	bool imm = wqe->opcode == IBV_WR_SEND_WITH_IMM;

	if (first && last)
		return imm ? WIRE_RC_SEND_ONLY_IMM : WIRE_RC_SEND_ONLY;
	if (first)
		return WIRE_RC_SEND_FIRST;
	if (last)
		return imm ? WIRE_RC_SEND_LAST_IMM : WIRE_RC_SEND_LAST;
	return WIRE_RC_SEND_MIDDLE;
}

/*
 * The last packet of a message asks for an acknowledgement, and so does every
 * REQ_ACK_EVERY-th inside: a peer answers only when asked, and the window
 * would close for good.
 */
static bool req_wants_ack(const struct sd_requester *req, bool last)
{
	return last || req->since_ack_request + 1 >= REQ_ACK_EVERY;
}

static enum ibv_wc_status req_payload(struct sd_qp *qp,
				      const struct sd_send_wqe *wqe,
				      uint64_t offset, uint8_t *to,
				      uint32_t len)
{
	if (len == 0)
		return IBV_WC_SUCCESS;
	if (wqe->is_inline) {
		memcpy(to, wqe->inline_data + offset, len);
		return IBV_WC_SUCCESS;
	}
	return qp->host->ops->gather(qp->host, qp, wqe->sge, wqe->num_sge,
				     offset, to, len);
}

static void req_packet_sent(struct sd_qp *qp, const struct sd_send_wqe *wqe,
			    bool ack_request, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	req->since_ack_request = ack_request ? 0 : req->since_ack_request + 1;
	req->next = psn_add(req->next, 1);
	if (psn_cmp(req->next, req->sent) > 0)
		req->sent = req->next;
	if (++req->cursor_packet == wqe->packets) {
		req->cursor++;
		req->cursor_packet = 0;
	}
	if (!req->ack_deadline_ns && qp->timeout_ns)
		req->ack_deadline_ns = now_ns + qp->timeout_ns;
}

/*
 * A local protection error is found when the entry's turn has come.  It
 * belongs to that entry, so the ones before it must end first: while any is
 * unacknowledged the requester waits, and meets the error again when it is the
 * oldest (IBA vol. 1, 10.7: completions in order).
 */
static enum req_step req_local_error(struct sd_qp *qp,
				     enum ibv_wc_status status)
{
	if (qp->req.cursor > 0)
		return REQ_WINDOW;
	qp_fail_send(qp, status);
	return REQ_FAILED;
}

static enum req_step req_send_packet(struct sd_qp *qp, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;
	struct sd_send_wqe *wqe = qp_send_wqe(qp, req->cursor);
	bool first = req->cursor_packet == 0;
	bool last = req->cursor_packet + 1 == wqe->packets;
	uint64_t offset = (uint64_t)req->cursor_packet * qp->mtu_bytes;
	struct wire_packet packet = {
		.opcode = req_opcode(wqe, first, last),
		.solicited = last && wqe->solicited,
		.ack_request = req_wants_ack(req, last),
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = qp->attr.dest_qp_num,
		.psn = req->next,
		.imm = wqe->imm,
		.payload_len = last ? (uint32_t)(wqe->length - offset)
				    : qp->mtu_bytes,
	};
	size_t bytes = wire_packet_bytes(&packet);
	uint8_t *at = qp->host->ops->packet_begin(qp->host, qp, bytes);
	enum ibv_wc_status status;

	if (!at)
		return REQ_LINK;
	status = req_payload(qp, wqe, offset,
			     wire_packet_payload_at(at, packet.opcode),
			     packet.payload_len);
	if (status != IBV_WC_SUCCESS)
		return req_local_error(qp, status);
	wire_packet_encode(&packet, at);
	qp->host->ops->packet_end(qp->host, qp, bytes);
	req_packet_sent(qp, wqe, packet.ack_request, now_ns);
	return REQ_SENT;
}

static bool req_window_open(const struct sd_qp *qp)
{
	uint32_t out = (uint32_t)psn_distance(qp->req.unacked, qp->req.next);

	return out < REQ_WINDOW_PACKETS &&
	       (uint64_t)out * qp->mtu_bytes < REQ_WINDOW_BYTES;
}

/* May anything be sent?  In SQD only what was begun is finished. */
static enum req_step req_check(struct sd_qp *qp, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	if (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD)
		return REQ_EMPTY;
	if (req->rnr_deadline_ns)
		return REQ_RECEIVER;
	if (req->cursor >= qp->sq.count)
		return REQ_EMPTY;
	if (qp->state == IBV_QPS_SQD && !qp_send_wqe(qp, req->cursor)->begun)
		return REQ_EMPTY;
	if (!req_window_open(qp))
		return REQ_WINDOW;
	return REQ_SENT;
}

enum req_step requester_run(struct sd_qp *qp, unsigned budget, uint64_t now_ns)
{
	enum req_step step = REQ_SENT;

	while (budget-- > 0 && step == REQ_SENT) {
		step = req_check(qp, now_ns);
		if (step != REQ_SENT)
			break;
		req_begin_entry(qp, qp_send_wqe(qp, qp->req.cursor));
		step = req_send_packet(qp, now_ns);
	}
	qp_state_check_drained(qp);
	qp_timer_update(qp);
	return step;
}

/* Put the cursor on the packet with @psn, or behind all that was begun. */
static void req_move(struct sd_qp *qp, struct psn psn)
{
	struct sd_requester *req = &qp->req;
	uint32_t nth;

	req->next = psn;
	req->cursor_packet = 0;
	req->since_ack_request = 0;
	for (nth = 0; nth < qp->sq.count; nth++) {
		const struct sd_send_wqe *wqe = qp_send_wqe(qp, nth);
		int32_t inside = psn_distance(wqe->psn_first, psn);

		if (!wqe->begun)
			break;
		if (inside < (int32_t)wqe->packets) {
			req->cursor_packet = (uint32_t)inside;
			break;
		}
	}
	req->cursor = nth;
}

void requester_go_back(struct sd_qp *qp, struct psn psn)
{
	assert(psn_cmp(psn, qp->req.unacked) >= 0);
	assert(psn_cmp(psn, qp->req.sent) < 0);
	req_move(qp, psn);
}

void requester_skip_to(struct sd_qp *qp, struct psn psn)
{
	assert(psn_cmp(psn, qp->req.next) > 0);
	req_move(qp, psn);
}
