// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/completer.h"

#include "device/engine/qp_state.h"
#include "device/engine/requester.h"
#include "device/engine/retry.h"

const char *comp_step_name(enum comp_step step)
{
	static const char *const names[] = {
		[COMP_CHECK_STATE] = "check-state",
		[COMP_CHECK_PSN] = "check-psn",
		[COMP_ACKNOWLEDGE] = "acknowledge",
		[COMP_RNR] = "rnr",
		[COMP_SEQUENCE] = "sequence",
		[COMP_REFUSED] = "refused",
		[COMP_DROP] = "drop",
		[COMP_DONE] = "done",
	};

	return names[step];
}

static enum comp_step comp_check_state(const struct sd_qp *qp,
				       const struct wire_packet *packet)
{
	if (qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD)
		return COMP_DROP;
	/* Answers to READ and atomics: no such request was ever sent. */
	if (packet->opcode != WIRE_RC_ACK)
		return COMP_DROP;
	return COMP_CHECK_PSN;
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
 * Everything before @psn is acknowledged.  Progress renews both retry budgets
 * and the timer.  The requester may stand behind what is now acknowledged
 * (it went back, then the late answer came): it moves on.
 */
static void comp_acknowledge_before(struct sd_qp *qp, struct psn psn,
				    uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	if (psn_cmp(psn, req->unacked) <= 0)
		return;
	req->unacked = psn;
	while (qp->sq.count > 0) {
		const struct sd_send_wqe *wqe = qp_send_wqe(qp, 0);

		if (!wqe->begun ||
		    psn_cmp(psn_add(wqe->psn_first, wqe->packets), psn) > 0)
			break;
		qp_complete_send(qp, IBV_WC_SUCCESS);
	}
	if (psn_cmp(req->next, req->unacked) < 0)
		requester_skip_to(qp, req->unacked);
	retry_progress(qp, now_ns);
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

static enum comp_step comp_step(struct sd_qp *qp, enum comp_step step,
				const struct wire_packet *packet,
				uint64_t now_ns)
{
	switch (step) {
	case COMP_CHECK_STATE:
		return comp_check_state(qp, packet);
	case COMP_CHECK_PSN:
		return comp_check_psn(qp, packet);
	case COMP_ACKNOWLEDGE:
		comp_acknowledge_before(qp, psn_add(packet->psn, 1), now_ns);
		return COMP_DONE;
	case COMP_RNR:
		comp_acknowledge_before(qp, packet->psn, now_ns);
		retry_rnr(qp, packet->psn,
			  packet->aeth.syndrome & WIRE_AETH_VALUE_MASK, now_ns);
		return COMP_DONE;
	case COMP_SEQUENCE:
		comp_acknowledge_before(qp, packet->psn, now_ns);
		retry_sequence(qp, packet->psn, now_ns);
		return COMP_DONE;
	case COMP_REFUSED:
		comp_acknowledge_before(qp, packet->psn, now_ns);
		qp_fail_send(qp, comp_nak_status(packet->aeth.syndrome));
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
	/* An answer may have opened the window. */
	qp->host->ops->wake(qp->host, qp);
}
