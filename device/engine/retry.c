// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/engine/retry.h"

#include <assert.h>

#include "device/engine/requester.h"
#include "device/mutant/mutant.h"

/* In units of 10 us (IBA vol. 1, table 46; rules/timers.tsv). */
static const uint32_t retry_rnr_10us[32] = {
	65536, 1,    2,	   3,	 4,    6,     8,     12,    16,	   24,	  32,
	48,    64,   96,   128,	 192,  256,   384,   512,   768,   1024,  1536,
	2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

uint64_t retry_rnr_ns(unsigned code)
{
	assert(code < 32);
	return (uint64_t)retry_rnr_10us[code] * 10000;
}

uint64_t retry_ack_timeout_ns(unsigned code)
{
	assert(code < 32);
	return code ? 4096ull << code : 0;
}

/*
 * Each try in vain doubles the wait, up to the four times that the
 * architecture allows (IBA vol. 1, 9.7.6.1.3): a lost packet is missed soon,
 * and a peer that stands still for a while is not given up.
 */
uint64_t retry_ack_wait_ns(const struct sd_qp *qp)
{
	unsigned tried = qp->attr.retry_cnt - qp->req.retry_left;

	return qp->timeout_ns << (tried < 2 ? tried : 2);
}

/*
 * A deadline that is looked at so much too late was looked at by a host that
 * did not run: what has come meanwhile is not read yet, or has not been
 * answered by the peer, which may be on this very host.  That was no silence,
 * and is not paid for with a retry: the wait begins anew, once.
 */
enum { RETRY_LATE_NS = 1000 * 1000 };

static bool retry_excused(struct sd_qp *qp, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	if (req->late_excused || now_ns - req->ack_deadline_ns < RETRY_LATE_NS)
		return false;
	req->late_excused = true;
	req->ack_deadline_ns = now_ns + retry_ack_wait_ns(qp);
	return true;
}

void retry_renew(struct sd_qp *qp)
{
	qp->req.retry_left = qp->attr.retry_cnt;
	qp->req.rnr_left = qp->attr.rnr_retry;
}

void retry_progress(struct sd_qp *qp, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;
	bool waits = psn_cmp(req->unacked, req->sent) < 0;
	uint8_t rnr_left = req->rnr_left;

	retry_renew(qp);
	if (MUTANT_ACTS(D50, rnr_left != req->rnr_left))
		req->rnr_left = rnr_left;
	req->missing_told = false;
	req->late_excused = false;
	req->ack_deadline_ns = waits && qp->timeout_ns ? now_ns + qp->timeout_ns
						       : 0;
}

/* M27: what had been sent behind the refused message. */
static MUTANT_COLD void retry_forget_tail(struct sd_qp *qp)
{
	const struct sd_send_wqe *wqe = qp_send_wqe(qp, qp->req.cursor);

	qp->mutants.lost_from = psn_add(wqe->psn_first, wqe->packets);
	qp->mutants.lost_to = qp->req.sent;
}

void retry_rnr(struct sd_qp *qp, struct psn psn, unsigned code, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	qp->host->counters.rcvd_rnr_err++;
	if (req->rnr_left == 0) {
		qp->host->counters.retry_rnr_exceeded_err++;
		qp_fail_send(qp, IBV_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (req->rnr_left != RETRY_RNR_FOREVER ||
	    MUTANT_ACTS(M25, qp->attr.rnr_retry == RETRY_RNR_FOREVER))
		req->rnr_left--;
	requester_go_back(qp, psn);
	if (MUTANT_ON(M27))
		retry_forget_tail(qp);
	if (MUTANT_ACTS(M26, code == 0 || code > 16)) {
		req->ack_deadline_ns = 0;
		req->rnr_deadline_ns =
			now_ns + (code ? retry_rnr_ns(code - 1) : 0);
		return;
	}
	/* The receiver has spoken: silence is measured anew, from the resend
	 * on, so that a long wait does not cost a retry. */
	req->ack_deadline_ns = 0;
	req->rnr_deadline_ns = now_ns + retry_rnr_ns(code);
}

static void retry_again(struct sd_qp *qp, struct psn psn)
{
	struct sd_requester *req = &qp->req;

	if (req->retry_left == 0 || MUTANT_ACTS(D51, req->retry_left == 1)) {
		qp->host->counters.retry_exceeded_err++;
		qp_fail_send(qp, IBV_WC_RETRY_EXC_ERR);
		return;
	}
	req->retry_left--;
	req->late_excused = false;
	qp->host->counters.completer_retry_err++;
	/* Nothing is out when the link has had no room for the first packet. */
	if (psn_cmp(psn, req->sent) < 0)
		requester_go_back(qp, psn);
	req->ack_deadline_ns = 0; /* set again by the resend */
	qp->host->ops->wake(qp->host, qp);
}

void retry_missing(struct sd_qp *qp)
{
	struct sd_requester *req = &qp->req;

	/* What was on its way behind the lost answer says it again and
	 * again; a second loss is for the timer to find. */
	if (req->missing_told || psn_cmp(req->next, req->unacked) <= 0 ||
	    req->rnr_deadline_ns)
		return;
	retry_again(qp, req->unacked);
	req->missing_told = true;
}

void retry_sequence(struct sd_qp *qp, struct psn psn)
{
	qp->host->counters.rcvd_seq_err++;
	/* Already on its way again, or waiting for the receiver to be ready. */
	if (psn_cmp(qp->req.next, psn) <= 0 || qp->req.rnr_deadline_ns)
		return;
	retry_again(qp, psn);
}

void retry_timer(struct sd_qp *qp, uint64_t now_ns)
{
	struct sd_requester *req = &qp->req;

	if (req->rnr_deadline_ns && now_ns >= req->rnr_deadline_ns) {
		req->rnr_deadline_ns = 0;
		qp->host->ops->wake(qp->host, qp);
	}
	if (req->ack_deadline_ns && now_ns >= req->ack_deadline_ns &&
	    !retry_excused(qp, now_ns))
		retry_again(qp, req->unacked);
}
