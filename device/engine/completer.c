// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/completer.h"

#include "device/engine/operation.h"
#include "device/engine/qp_state.h"
#include "device/engine/requester.h"
#include "device/engine/retry.h"
#include "device/mutant/mutant.h"

static enum comp_step comp_check_state(const struct sd_qp *qp)
{
	if (qp->type != IBV_QPT_RC ||
	    (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD))
		return COMP_DROP;
	return COMP_CHECK_PSN;
}

static enum comp_step comp_kind(const struct wire_packet *packet)
{
	if (wire_opcode_is_read_response(packet->opcode))
		return COMP_READ;
	if (packet->opcode == WIRE_RC_ATOMIC_ACK)
		return COMP_ATOMIC;
	if (packet->opcode != WIRE_RC_ACK)
		return COMP_DROP;
	switch (packet->aeth.syndrome & WIRE_AETH_KIND_MASK) {
	case WIRE_AETH_ACK:
		return COMP_ACKNOWLEDGE;
	case WIRE_AETH_RNR_NAK:
		return COMP_RNR;
	case WIRE_AETH_NAK:
		if (packet->aeth.syndrome == WIRE_NAK_PSN_SEQUENCE)
			return COMP_SEQUENCE;
		return COMP_REFUSED;
	default:
		return COMP_DROP;
	}
}

/*
 * Only PSNs that are out and not yet acknowledged mean anything: older ones
 * are answers to what was sent twice, newer ones nobody can have seen.
 */
static enum comp_step comp_check_psn(const struct sd_qp *qp,
				     const struct wire_packet *packet)
{
	const struct sd_requester *req = &qp->req;

	if (psn_cmp(packet->psn, req->unacked) < 0 ||
	    psn_cmp(packet->psn, req->sent) >= 0)
		return COMP_DROP;
	if (MUTANT_ACTS(M30, packet->psn.v < req->unacked.v ||
				     packet->psn.v >= req->sent.v))
		return COMP_DROP;
	return comp_kind(packet);
}

/* All before @psn is done; the requester, which may stand behind it (it went
 * back, then the late answer came), moves on. */
static void comp_advance(struct sd_qp *qp, struct psn psn, uint64_t now_ns)
{
	qp->req.unacked = psn;
	if (psn_cmp(qp->req.next, psn) < 0)
		requester_skip_to(qp, psn);
	retry_progress(qp, now_ns);
}

/*
 * Everything before @psn is acknowledged, as far as it can be without data: a
 * READ or atomic on the way is not ended by what comes behind it.  False: one
 * of those stands in the way.
 */
static bool comp_acknowledge_before(struct sd_qp *qp, struct psn psn,
				    uint64_t now_ns)
{
	struct psn done = qp->req.unacked;
	bool all = true;

	while (qp->sq.count > 0 && psn_cmp(done, psn) < 0) {
		const struct sd_send_wqe *wqe = qp_send_wqe(qp, 0);
		uint32_t left = wqe->packets - psn_ahead(wqe->psn_first, done);

		if (operation_is_fetch(wqe->opcode)) {
			all = false;
			break;
		}
		if (!wqe->begun || wqe->packets == 0)
			break;
		if (left > psn_ahead(done, psn)) {
			done = psn;
			break;
		}
		done = psn_add(done, left);
		qp_complete_send(qp, IBV_WC_SUCCESS);
	}
	if (psn_cmp(done, qp->req.unacked) > 0)
		comp_advance(qp, done, now_ns);
	return all;
}

/* Is the oldest entry the one that this answer is for? */
static struct sd_send_wqe *comp_fetch_entry(struct sd_qp *qp,
					    const struct wire_packet *packet,
					    uint64_t now_ns)
{
	struct sd_send_wqe *wqe;

	comp_acknowledge_before(qp, packet->psn, now_ns);
	if (qp->sq.count == 0 || psn_cmp(packet->psn, qp->req.unacked) != 0)
		return NULL;
	wqe = qp_send_wqe(qp, 0);
	return wqe->begun ? wqe : NULL;
}

static void comp_fetch_done(struct sd_qp *qp, const struct sd_send_wqe *wqe,
			    struct psn psn, uint64_t now_ns)
{
	struct psn next = psn_add(psn, 1);
	bool last = psn_cmp(next, psn_add(wqe->psn_first, wqe->packets)) == 0;

	if (last)
		qp_complete_send(qp, IBV_WC_SUCCESS);
	comp_advance(qp, next, now_ns);
}

/* A request's response ends with LAST or ONLY.  The requests for one READ are
 * for REQ_READ_PACKETS at the most, so ends lie there too. */
static bool comp_read_ends(enum wire_opcode opcode)
{
	enum wire_place place = wire_opcode_place(opcode);

	return place == WIRE_LAST || place == WIRE_ONLY;
}

static bool comp_read_last(const struct sd_send_wqe *wqe, struct psn psn)
{
	uint32_t nth = psn_ahead(wqe->psn_first, psn) + 1;

	return nth == wqe->packets || nth % REQ_READ_PACKETS == 0;
}

static enum comp_step
comp_read(struct sd_qp *qp, const struct wire_packet *packet, uint64_t now_ns)
{
	struct sd_send_wqe *wqe = comp_fetch_entry(qp, packet, now_ns);
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	uint64_t offset, left;

	if (!wqe)
		return COMP_MISSING;
	offset = (uint64_t)psn_ahead(wqe->psn_first, packet->psn) *
		 qp->mtu_bytes;
	left = wqe->length - offset;
	if (!operation_is_read(wqe->opcode) ||
	    comp_read_ends(packet->opcode) !=
		    comp_read_last(wqe, packet->psn) ||
	    packet->payload_len !=
		    (left < qp->mtu_bytes ? left : qp->mtu_bytes))
		status = IBV_WC_BAD_RESP_ERR;
	else if (packet->payload_len)
		status = qp->host->ops->scatter(qp->host, qp->pd, wqe->sge,
						wqe->num_sge, offset,
						packet->payload,
						packet->payload_len);
	if (status == IBV_WC_SUCCESS)
		comp_fetch_done(qp, wqe, packet->psn, now_ns);
	else
		qp_fail_send(qp, status);
	return COMP_DONE;
}

static enum comp_step
comp_atomic(struct sd_qp *qp, const struct wire_packet *packet, uint64_t now_ns)
{
	struct sd_send_wqe *wqe = comp_fetch_entry(qp, packet, now_ns);
	enum ibv_wc_status status = IBV_WC_BAD_RESP_ERR;

	if (!wqe)
		return COMP_MISSING;
	if (operation_is_atomic(wqe->opcode))
		status = qp->host->ops->scatter(qp->host, qp->pd, wqe->sge,
						wqe->num_sge, 0,
						&packet->atomic_ack,
						sizeof(packet->atomic_ack));
	if (status == IBV_WC_SUCCESS)
		comp_fetch_done(qp, wqe, packet->psn, now_ns);
	else
		qp_fail_send(qp, status);
	return COMP_DONE;
}

static enum ibv_wc_status comp_nak_status(uint8_t syndrome)
{
	switch (syndrome) {
	case WIRE_NAK_INVALID_REQUEST:
		return IBV_WC_REM_INV_REQ_ERR;
	case WIRE_NAK_REMOTE_ACCESS:
		return IBV_WC_REM_ACCESS_ERR;
	default:
		return IBV_WC_REM_OP_ERR;
	}
}

static bool comp_concerns_oldest(struct sd_qp *qp, struct psn psn)
{
	const struct sd_send_wqe *wqe = qp_send_wqe(qp, 0);

	return psn_ahead(wqe->psn_first, psn) < wqe->packets;
}

/* A NAK acknowledges all before it, and then says its own. */
static enum comp_step comp_nak(struct sd_qp *qp, enum comp_step step,
			       const struct wire_packet *packet,
			       uint64_t now_ns)
{
	uint8_t syndrome = packet->aeth.syndrome;
	struct psn psn = packet->psn;

	if (MUTANT_ACTS(D94, step == COMP_RNR && psn.v == 0))
		return COMP_DONE;
	comp_acknowledge_before(qp, psn, now_ns);
	/* A READ or atomic before it is unanswered; unless it is this very
	 * one that is refused, in its first packet or a later one. */
	if (qp->sq.count == 0 || !comp_concerns_oldest(qp, psn))
		return COMP_MISSING;
	if (operation_is_fetch(qp_send_wqe(qp, 0)->opcode))
		psn = qp->req.unacked;
	if (step == COMP_REFUSED)
		qp_fail_send(qp, comp_nak_status(syndrome));
	else if (step == COMP_SEQUENCE)
		retry_sequence(qp, psn);
	else
		retry_rnr(qp, psn, syndrome & WIRE_AETH_VALUE_MASK, now_ns);
	return COMP_DONE;
}

static enum comp_step comp_step(struct sd_qp *qp, enum comp_step step,
				const struct wire_packet *packet,
				uint64_t now_ns)
{
	switch (step) {
	case COMP_CHECK_STATE:
		return comp_check_state(qp);
	case COMP_CHECK_PSN:
		return comp_check_psn(qp, packet);
	case COMP_READ:
		return comp_read(qp, packet, now_ns);
	case COMP_ATOMIC:
		return comp_atomic(qp, packet, now_ns);
	case COMP_ACKNOWLEDGE:
		if (!comp_acknowledge_before(qp, psn_add(packet->psn, 1),
					     now_ns))
			return COMP_MISSING;
		return COMP_DONE;
	case COMP_RNR:
	case COMP_SEQUENCE:
	case COMP_REFUSED:
		return comp_nak(qp, step, packet, now_ns);
	case COMP_MISSING:
		retry_missing(qp);
		return COMP_DONE;
	case COMP_DROP:
	case COMP_DONE:
		break;
	}
	return COMP_DONE;
}

void completer_receive(struct sd_qp *qp, const struct wire_packet *packet,
		       uint64_t now_ns)
{
	enum comp_step step = COMP_CHECK_STATE;

	while (step != COMP_DONE)
		step = comp_step(qp, step, packet, now_ns);
	qp_state_check_drained(qp);
	/* What waits behind a fence goes before the next answer comes. */
	if (MUTANT_ON(M38))
		requester_run(qp, 1, now_ns);
	/* An answer may have opened the window. */
	qp->host->ops->wake(qp->host, qp);
}
