// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/requester.h"

#include <assert.h>
#include <string.h>

#include "device/engine/operation.h"
#include "device/engine/qp_state.h"
#include "device/engine/retry.h"
#include "device/mutant/mutant.h"

static bool req_unacknowledged(const struct sd_qp *qp)
{
	return qp->type != IBV_QPT_RC;
}

/* Give the entry under the cursor its PSNs, when it is new.  A READ takes one
 * for each packet of its response; what stays here takes none. */
static void req_begin_entry(struct sd_qp *qp, struct sd_send_wqe *wqe)
{
	if (wqe->begun)
		return;
	wqe->begun = true;
	wqe->psn_first = qp->req.fresh;
	wqe->packets = 1;
	if (operation_is_local(wqe->opcode))
		wqe->packets = 0;
	else if (!operation_is_atomic(wqe->opcode) && wqe->length)
		wqe->packets = (wqe->length - 1) / qp->mtu_bytes + 1;
	qp->req.fresh = psn_add(qp->req.fresh, wqe->packets);
	if (operation_is_send(wqe->opcode))
		qp->host->counters.rdma_sends++;
}

/*
 * The last packet of a message asks for an acknowledgement, and so does every
 * REQ_ACK_EVERY-th inside, and the one that closes the window: a peer answers
 * only when asked, and it would stay closed.
 */
static bool req_wants_ack(const struct sd_qp *qp, const struct sd_send_wqe *wqe,
			  bool last)
{
	if (req_unacknowledged(qp))
		return false;
	return last || operation_is_fetch(wqe->opcode) ||
	       requester_out(qp) + 1 >= qp->window ||
	       qp->req.since_ack_request + 1 >= REQ_ACK_EVERY;
}

/* D97, D98 */
static bool req_is_resent(const struct sd_qp *qp)
{
	return psn_cmp(qp->req.next, qp->req.sent) < 0;
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
		if (MUTANT_ACTS(D97, req_is_resent(qp)))
			memset(to, 0, len);
		return IBV_WC_SUCCESS;
	}
	return qp->host->ops->gather(qp->host, qp->pd, wqe->sge, wqe->num_sge,
				     offset, to, len);
}

static void req_sent(struct sd_qp *qp, const struct sd_send_wqe *wqe,
		     uint32_t packets, bool ack_request, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	req->since_ack_request = ack_request ? 0 : req->since_ack_request + 1;
	req->next = psn_add(req->next, packets);
	if (psn_cmp(req->next, req->sent) > 0)
		req->sent = req->next;
	req->cursor_packet += packets;
	if (req->cursor_packet == wqe->packets) {
		req->cursor++;
		req->cursor_packet = 0;
	}
	if (req_unacknowledged(qp)) {
		req->unacked = req->next;
		if (req->cursor_packet == 0)
			qp_complete_send(qp, IBV_WC_SUCCESS);
		return;
	}
	if (!req->ack_deadline_ns && qp->timeout_ns)
		req->ack_deadline_ns = now_ns + retry_ack_wait_ns(qp);
}

/*
 * A local error is found when the entry's turn has come.  It belongs to that
 * entry, so the ones before it must end first: while any is unacknowledged the
 * requester waits, and meets the error again when it is the oldest (IBA vol. 1,
 * 10.7: completions in order).
 */
static enum req_step req_local_error(struct sd_qp *qp,
				     enum ibv_wc_status status)
{
	if (qp->req.cursor > 0)
		return REQ_WINDOW;
	qp_fail_send(qp, status);
	return REQ_FAILED;
}

/*
 * Packets of the response that one READ request asks for: a long READ becomes
 * several, so that its response never outruns the window.  One that is asked
 * again keeps within its old bounds, by which the peer remembers it.
 */
static uint32_t req_read_span(const struct sd_qp *qp,
			      const struct sd_send_wqe *wqe)
{
	uint32_t left = wqe->packets - qp->req.cursor_packet;
	uint32_t piece =
		REQ_READ_PACKETS - qp->req.cursor_packet % REQ_READ_PACKETS;

	return left < piece ? left : piece;
}

/* Headers but the BTH, as the operation has them. */
static void req_headers(const struct sd_qp *qp, const struct sd_send_wqe *wqe,
			uint64_t offset, struct wire_packet *packet)
{
	packet->imm = wqe->imm;
	packet->ieth_rkey = wqe->imm;
	if (qp->type == IBV_QPT_UD) {
		packet->dest_qpn = wqe->path.qpn;
		packet->deth.qkey = wqe->path.qkey & 0x80000000
					    ? qp->attr.qkey
					    : wqe->path.qkey;
		packet->deth.src_qpn = qp->qpn;
		return;
	}
	packet->reth.va = wqe->remote.va + offset;
	packet->reth.rkey = wqe->remote.rkey;
	packet->reth.length = wqe->length;
	packet->atomic.va = wqe->remote.va;
	packet->atomic.rkey = wqe->remote.rkey;
	packet->atomic.swap_add = wqe->remote.swap_add;
	packet->atomic.compare = wqe->remote.compare;
}

/* True: the packet is forgotten. */
static MUTANT_COLD bool req_spoil(const struct sd_qp *qp,
				  const struct sd_send_wqe *wqe,
				  struct wire_packet *packet)
{
	const struct sd_qp_mutants *m = &qp->mutants;

	if (MUTANT_ACTS(D83, m->peer && m->peer != qp->attr.dest_qp_num))
		packet->dest_qpn = m->peer;
	if (MUTANT_ACTS(D98, packet->solicited && req_is_resent(qp)))
		packet->solicited = false;
	if (MUTANT_ACTS(R06, packet->solicited && wqe->packets > 1))
		packet->solicited = false;
	return MUTANT_ACTS(M27,
			   operation_is_send(wqe->opcode) &&
				   psn_cmp(packet->psn, m->lost_from) >= 0 &&
				   psn_cmp(packet->psn, m->lost_to) < 0);
}

static enum req_step req_send_packet(struct sd_qp *qp,
				     const struct sd_send_wqe *wqe,
				     uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;
	bool fetch = operation_is_fetch(wqe->opcode);
	uint32_t span = fetch ? req_read_span(qp, wqe) : 1;
	bool first = fetch || req->cursor_packet == 0;
	bool last = fetch || req->cursor_packet + 1 == wqe->packets;
	uint64_t offset = (uint64_t)req->cursor_packet * qp->mtu_bytes;
	uint32_t left = (uint32_t)(wqe->length - offset);
	struct wire_packet packet = {
		.opcode = operation_wire(wqe->opcode, qp->type, first, last),
		.solicited = last && wqe->solicited,
		.ack_request = req_wants_ack(qp, wqe, last),
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = qp->attr.dest_qp_num,
		.psn = req->next,
		.payload_len = fetch  ? 0
			       : last ? left
				      : qp->mtu_bytes,
	};
	enum ibv_wc_status status;
	size_t bytes;
	uint8_t *at;

	if (MUTANT_ANY() && req_spoil(qp, wqe, &packet)) {
		req_sent(qp, wqe, span, false, now_ns);
		return REQ_SENT;
	}
	if (fetch && MUTANT_ACTS(R03, wqe->length == 0))
		return req_local_error(qp, IBV_WC_LOC_QP_OP_ERR);
	req_headers(qp, wqe, offset, &packet);
	if (wqe->packets > 1 && last &&
	    MUTANT_ACTS(R04, wire_opcode_headers(packet.opcode) & WIRE_HAS_IMM))
		packet.imm = __builtin_bswap32(packet.imm);
	if (operation_is_read(wqe->opcode) && left > span * qp->mtu_bytes)
		packet.reth.length = span * qp->mtu_bytes;
	else if (operation_is_read(wqe->opcode))
		packet.reth.length = left;
	bytes = wire_packet_bytes(&packet);
	at = qp->host->ops->packet_begin(
		qp->host, qp, qp->type == IBV_QPT_UD ? &wqe->path : NULL,
		bytes);
	if (!at)
		return REQ_LINK;
	status = req_payload(qp, wqe, offset,
			     wire_packet_payload_at(at, packet.opcode),
			     packet.payload_len);
	if (status != IBV_WC_SUCCESS)
		return req_local_error(qp, status);
	wire_packet_encode(&packet, at);
	qp->host->ops->packet_end(qp->host, bytes);
	req_sent(qp, wqe, span, packet.ack_request, now_ns);
	return REQ_SENT;
}

/* Binding and invalidating happen here, between what was posted before and
 * after; LOCAL_INV lets all that went before it end first. */
static enum req_step req_run_local(struct sd_qp *qp,
				   const struct sd_send_wqe *wqe)
{
	enum ibv_wc_status status;

	if (qp->req.cursor > 0)
		return REQ_WINDOW;
	if (wqe->opcode == IBV_WR_LOCAL_INV)
		status = qp->host->ops->invalidate(qp->host, qp, wqe->imm)
				 ? IBV_WC_LOC_QP_OP_ERR
				 : IBV_WC_SUCCESS;
	else
		status = qp->host->ops->bind(qp->host, qp, &wqe->bind)
				 ? IBV_WC_MW_BIND_ERR
				 : IBV_WC_SUCCESS;
	if (status != IBV_WC_SUCCESS) {
		qp_fail_send(qp, status);
		return REQ_FAILED;
	}
	qp_complete_send(qp, IBV_WC_SUCCESS);
	return REQ_SENT;
}

uint32_t requester_out(const struct sd_qp *qp)
{
	if (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD)
		return 0;
	return psn_ahead(qp->req.unacked, qp->req.next);
}

static bool req_window_open(const struct sd_qp *qp)
{
	uint32_t out = requester_out(qp);

	return out < REQ_WINDOW_PACKETS && out < qp->window;
}

/*
 * READ requests and atomics that are out.  A READ is out once for every
 * REQ_READ_PACKETS of response that are awaited, the last one in part.
 */
static uint32_t req_fetches_out(const struct sd_qp *qp)
{
	const struct sd_requester *req = &qp->req;
	uint32_t out = 0;

	for (uint32_t nth = 0; nth <= req->cursor && nth < qp->sq.count;
	     nth++) {
		const struct sd_send_wqe *wqe =
			qp_send_wqe((struct sd_qp *)qp, nth);
		uint32_t asked, got = 0;

		if (!wqe->begun || !operation_is_fetch(wqe->opcode))
			continue;
		asked = nth < req->cursor ? wqe->packets : req->cursor_packet;
		if (nth == 0) /* the rest has not been answered at all */
			got = psn_ahead(wqe->psn_first, req->unacked);
		if (asked > got)
			out += (asked - got + REQ_READ_PACKETS - 1) /
			       REQ_READ_PACKETS;
	}
	return out;
}

/* M38: has one of the READs before the fence ended? */
static MUTANT_COLD bool req_fence_half(struct sd_qp *qp)
{
	uint32_t fetches = 0;
	bool one;

	for (uint32_t nth = 0; nth < qp->req.cursor; nth++)
		fetches += operation_is_fetch(qp_send_wqe(qp, nth)->opcode);
	one = fetches < qp->mutants.fence_fetches;
	qp->mutants.fence_fetches = one ? 0 : fetches;
	return one && mutant_note(MUTANT_M38);
}

/* D55: of READs none is before the fence. */
static MUTANT_COLD bool req_only_atomics(struct sd_qp *qp)
{
	for (uint32_t nth = 0; nth < qp->req.cursor; nth++)
		if (operation_is_read(qp_send_wqe(qp, nth)->opcode))
			return false;
	return mutant_note(MUTANT_D55);
}

/* May the entry under the cursor go on, beside those before it? */
static bool req_may_start(struct sd_qp *qp, const struct sd_send_wqe *wqe)
{
	uint32_t limit = qp->attr.max_rd_atomic;

	if (qp->type != IBV_QPT_RC)
		return true;
	if (operation_is_fetch(wqe->opcode) && req_fetches_out(qp) >= limit)
		return false;
	/* A fence holds its entry back until all READs and atomics before it
	 * are complete (IBA vol. 1, 10.8.3.3). */
	return !wqe->fence ||
	       MUTANT_ACTS(R19, operation_is_send(wqe->opcode)) ||
	       qp->req.cursor_packet > 0 || req_fetches_out(qp) == 0 ||
	       (MUTANT_ON(M38) && req_fence_half(qp)) ||
	       (MUTANT_ON(D55) && req_only_atomics(qp));
}

/* May anything be sent?  In SQD only what was begun is finished. */
static enum req_step req_check(struct sd_qp *qp)
{
	struct sd_requester *req = &qp->req;

	if (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD &&
	    !MUTANT_ACTS(D32, qp->state == IBV_QPS_RTR))
		return REQ_EMPTY;
	if (MUTANT_ACTS(D89, qp->mutants.sqe && qp->state == IBV_QPS_RTS))
		return REQ_EMPTY;
	if (req->rnr_deadline_ns)
		return REQ_RECEIVER;
	if (req->cursor + qp->mutants.hidden >= qp->sq.count)
		return REQ_EMPTY;
	if (qp->state == IBV_QPS_SQD && !qp_send_wqe(qp, req->cursor)->begun &&
	    !MUTANT_ACTS(M44, req->cursor > 0))
		return REQ_EMPTY;
	if (!req_window_open(qp) ||
	    !req_may_start(qp, qp_send_wqe(qp, req->cursor)))
		return REQ_WINDOW;
	return REQ_SENT;
}

/* A link without room is silence as well: it may be that of a peer which has
 * stopped for good, and then nothing but the timer ends the wait. */
static void req_blocked(struct sd_qp *qp, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	if (qp->type == IBV_QPT_RC && qp->timeout_ns && !req->ack_deadline_ns)
		req->ack_deadline_ns = now_ns + retry_ack_wait_ns(qp);
}

enum req_step requester_run(struct sd_qp *qp, unsigned budget, uint64_t now_ns)
{
	enum req_step step = REQ_SENT;

	if (MUTANT_ON(M13))
		qp_last_wqe_turn(qp);
	while (budget-- > 0 && step == REQ_SENT) {
		struct sd_send_wqe *wqe;

		step = req_check(qp);
		if (step != REQ_SENT)
			break;
		wqe = qp_send_wqe(qp, qp->req.cursor);
		req_begin_entry(qp, wqe);
		step = operation_is_local(wqe->opcode)
			       ? req_run_local(qp, wqe)
			       : req_send_packet(qp, wqe, now_ns);
	}
	if (step == REQ_LINK)
		req_blocked(qp, now_ns);
	qp_state_check_drained(qp);
	qp_timer_update(qp);
	return step;
}

/* Put the cursor on the packet with @psn, or behind all that was begun. */
static void req_move(struct sd_qp *qp, struct psn psn)
{
	struct sd_requester *req = &qp->req;
	uint32_t nth, empty = 0;

	req->next = psn;
	req->cursor_packet = 0;
	req->since_ack_request = 0;
	for (nth = 0; nth < qp->sq.count; nth++) {
		const struct sd_send_wqe *wqe = qp_send_wqe(qp, nth);
		/* Never before it; behind it by as many as the longest message
		 * has, which is too far for psn_distance(). */
		uint32_t inside = psn_ahead(wqe->psn_first, psn);

		/* What takes no PSN holds back all behind it. */
		if (!wqe->begun || wqe->packets == 0)
			break;
		if (MUTANT_ON(M31)) {
			inside += empty;
			if (MUTANT_ACTS(M31, wqe->length == 0 &&
						     !operation_is_fetch(
							     wqe->opcode))) {
				empty++;
				continue;
			}
		}
		if (inside < wqe->packets) {
			req->cursor_packet = inside;
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
