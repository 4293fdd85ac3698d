// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Errors that nothing explains so far.  The case may still come to look at the
 * one that failed, so the error alone is no finding; but a wait for something
 * that it has made impossible has no reason to go on.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/end/ends.h"

/* For what was on its way when the error was polled. */
enum { FAILURE_GRACE_MS = 200 };

void ends_failure_note(struct vb_wr *wr)
{
	enum ibv_wc_status status = wr->wc.status;
	struct vb_qp *qp = wr->qp;

	if (status == IBV_WC_WR_FLUSH_ERR)
		return;
	if ((unsigned)status < 32)
		qp->statuses |= VERBS_STATUS_BIT(status);
	if (status == IBV_WC_SUCCESS)
		return;
	qp->errors++;
	if (qp->failure)
		return;
	qp->failure = wr;
	qp->failed_round = qp->ends->rounds;
}

static struct vb_wr *failure_of(const struct vb_qp *qp)
{
	return qp && qp->failure && !qp->failure->judged ? qp->failure : NULL;
}

struct vb_wr *ends_unexplained(const struct vb_qp *qp)
{
	struct vb_wr *own = failure_of(qp);

	return own || !qp ? own : failure_of(qp->peer);
}

/*
 * Why no message comes to @qp any more; NULL: one may.  While @qp has sends
 * under way, or has failed, its receives may yet be flushed.
 */
static struct vb_wr *failure_silences(const struct vb_qp *qp)
{
	const struct vb_qp *from = qp->peer;
	struct vb_wr *error = failure_of(from);

	if (!error || from->peer != qp || qp->type == IBV_QPT_UD)
		return NULL;
	/* The case has done something about it. */
	if (from->changed_ns > error->completed_ns)
		return NULL;
	/* UC lives on with a receive that failed. */
	if (from->type != IBV_QPT_RC && !from->sq_failed)
		return NULL;
	if (qp->gone || qp->told_err || qp->errors || qp->sq_failed ||
	    qp->rq_failed || ledger_queue_outstanding(qp->sq))
		return NULL;
	return error;
}

/* Of an SRQ any of its queue pairs may use a receive. */
static struct vb_wr *failure_silences_srq(const struct vb_wr *wr)
{
	const struct ends *e = wr->end->ends;
	struct vb_wr *error = NULL, *first = NULL;
	uint32_t i;

	for (i = 0; i < e->qps_count; i++) {
		if (e->qps[i]->srq != wr->srq || e->qps[i]->gone)
			continue;
		error = failure_silences(e->qps[i]);
		if (!error)
			return NULL;
		first = first ? first : error;
	}
	return first;
}

bool ends_hopeless(struct ends_hope *h)
{
	const struct vb_wr *wr = h->wr;

	h->error = NULL;
	if (!wr->send && !wr->done)
		h->error = wr->srq ? failure_silences_srq(wr)
				   : failure_silences(wr->qp);
	if (!h->error) {
		h->until_ns = 0;
		return false;
	}
	if (!h->until_ns)
		h->until_ns = vb_deadline(wr->end->ends->t, FAILURE_GRACE_MS);
	return clock_now_ns() >= h->until_ns;
}

void ends_failure_tell(struct vb_wr *error, const struct vb_wr *wr,
		       const char *what)
{
	char text[ENDS_TEXT], waited[ENDS_TEXT];

	error->end->ends->focus = error->qp;
	vb_fail(error->end->ends->t, VB_FIND_WRONG_STATUS,
		"%s completed with %s (%d, vendor_err 0x%x) after %llu us, "
		"which nothing explains; %s %s",
		ends_wr_text(error, text, sizeof(text)),
		verbs_wc_status_name(error->wc.status), (int)error->wc.status,
		error->wc.vendor_err, vb_took_ns(error) / NS_PER_US,
		ends_wr_text(wr, waited, sizeof(waited)), what);
}

/* Of the two ends the error may be polled behind the flush that it causes. */
static bool failure_shown(void *arg)
{
	const struct vb_qp *qp = arg;

	return ends_unexplained(qp);
}

static bool failure_may_show(const struct vb_wr *wr)
{
	const struct vb_qp *qp = wr->qp;

	return qp && qp->peer && wr->done &&
	       wr->wc.status == IBV_WC_WR_FLUSH_ERR && !qp->told_err &&
	       !qp->peer->told_err;
}

void ends_failure_flushed(const struct vb_wr *wr)
{
	struct vb_wr *error;

	if (failure_may_show(wr))
		(void)ends_wait(wr->end->ends,
				vb_deadline(wr->end->ends->t, FAILURE_GRACE_MS),
				failure_shown, wr->qp);
	error = ends_unexplained(wr->qp);

	if (error && wr->done && wr->wc.status == IBV_WC_WR_FLUSH_ERR)
		ends_failure_tell(error, wr, "was flushed");
}

const char *ends_failure_text(const struct vb_qp *qp, char *text, size_t room)
{
	struct vb_wr *error = ends_unexplained(qp);
	char name[ENDS_TEXT];

	text[0] = '\0';
	if (error)
		snprintf(text, room, "; before, %s completed with %s",
			 ends_wr_text(error, name, sizeof(name)),
			 verbs_wc_status_name(error->wc.status));
	return text;
}
