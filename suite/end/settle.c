// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The end of the books: nothing owed, nothing extra, nothing unsaid.  And the
 * end of the ends: what is still open is closed in order.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/end/cm.h"
#include "suite/end/ends.h"
#include "suite/end/remote.h"
#include "suite/runner/inside.h"

static bool settle_paid(void *arg)
{
	const struct vb_qp *qp = arg;

	return qp->gone ||
	       (!ledger_queue_owed(qp->sq) && !ledger_queue_owed(qp->rq));
}

static bool settle_arrived(void *arg)
{
	const struct vb_qp *qp = arg;

	return pairing_missing(qp->out) == 0;
}

static bool settle_never(void *arg)
{
	return false;
}

static void settle_owed(struct vb_qp *qp)
{
	struct vb_test *t = ends_test(qp);
	struct complaint c;

	if (qp->gone)
		return;
	if (!ends_wait(qp->ends, vb_deadline(t, ends_patience_ms(qp)),
		       settle_paid, qp)) {
		if (ledger_balance(qp->ends->ledger, &c))
			ends_complain(qp->ends, &c);
	}
	vb_checked(t);
}

/* What was acknowledged to the sender has come out at the receiver, unless
 * that one has failed since, or was reset. */
static void settle_messages(struct vb_qp *qp)
{
	struct vb_test *t = ends_test(qp);
	struct vb_qp *peer = qp->peer;
	struct complaint c;

	if (!peer || qp->gone || peer->gone || peer->rq_failed ||
	    peer->srq_errors || peer->peer != qp || qp->loose ||
	    peer->generation != qp->remote.generation)
		return;
	if (!ends_wait(qp->ends, vb_deadline(t, ENDS_SLACK_MS), settle_arrived,
		       qp) &&
	    pairing_balance(qp->out, &c))
		ends_complain(qp->ends, &c);
	vb_checked(t);
}

/* A queue pair may fail without a completion that says so: there was no room
 * for one. */
static bool settle_has_failed(const struct vb_qp *qp)
{
	return qp->errors || qp->failed_before ||
	       (qp->send_cq && qp->send_cq->overruns) ||
	       (qp->recv_cq && qp->recv_cq->overruns);
}

/* The two ends of iWARP share one stream: what ends it at one side, if only
 * that its queue pair is destroyed, flushes the other (RFC 5040 section 7). */
static bool settle_cut_off(const struct vb_wr *wr)
{
	const struct vb_qp *peer = wr->qp->peer;

	return wr->wc.status == IBV_WC_WR_FLUSH_ERR && ends_iwarp(wr->end) &&
	       peer && (peer->gone || settle_has_failed(peer));
}

static void settle_wrs(struct vb_qp *qp)
{
	struct vb_test *t = ends_test(qp);
	char text[ENDS_TEXT];
	struct vb_wr *wr;

	for (wr = qp->wrs; wr; wr = wr->next) {
		if (!wr->done || wr->judged)
			continue;
		vb_check(t, VB_FIND_WRONG_STATUS,
			 wr->wc.status == IBV_WC_SUCCESS || settle_cut_off(wr),
			 "%s completed with %s, which nothing explains",
			 ends_wr_text(wr, text, sizeof(text)),
			 verbs_wc_status_name(wr->wc.status));
		wr->judged = true;
	}
}

/* Events that may come of an error on either side, and differ by device. */
static bool settle_event_mild(const struct vb_qp *qp, unsigned type)
{
	const struct vb_qp *peer = qp->peer;
	bool error = settle_has_failed(qp) || (peer && settle_has_failed(peer));

	switch (type) {
	case IBV_EVENT_COMM_EST:
		return true;
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_QP_FATAL:
		return error;
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return qp->srq && (error || qp->told_err || qp->generation > 1);
	default:
		return false;
	}
}

/*
 * What is minded by nobody comes once in each life all the same: what it tells
 * of happens once.  Lives are taken together, since events are read when there
 * is time, and perhaps in the next one.
 */
static bool settle_event_often(const struct vb_qp *qp, unsigned type)
{
	/* Besides these: each drain of a send queue has one. */
	return type != IBV_EVENT_SQ_DRAINED &&
	       qp->events[type].came > qp->generation;
}

static void settle_events(struct vb_qp *qp)
{
	struct vb_test *t = ends_test(qp);
	unsigned type;

	for (type = 0; type < ENDS_EVENTS; type++) {
		const struct ends_event *e = &qp->events[type];

		if (e->came <= e->expected)
			continue;
		if (e->allowed || settle_event_mild(qp, type)) {
			vb_check(t, VB_FIND_WRONG_EVENT,
				 !settle_event_often(qp, type),
				 "end %s qp 0x%x: the event %s came %u times, "
				 "it may come once in each life of its queue "
				 "pair: %u",
				 ends_side(qp->end), qp->qpn,
				 verbs_event_name((enum ibv_event_type)type),
				 e->came, qp->generation);
			continue;
		}
		vb_fail(t, VB_FIND_WRONG_EVENT,
			"end %s qp 0x%x: the event %s came, %u times more than "
			"expected",
			ends_side(qp->end), qp->qpn,
			verbs_event_name((enum ibv_event_type)type),
			e->came - e->expected);
	}
	if (qp->end->cq_errors)
		vb_fail(t, VB_FIND_WRONG_EVENT,
			"end %s: %u CQ_ERR events: a completion queue has "
			"overrun or failed",
			ends_side(qp->end), qp->end->cq_errors);
	vb_checked(t);
}

/* What UC and UD have lost is reported, not failed. */
static void settle_lost(struct vb_qp *qp)
{
	uint64_t lost = vb_lost(qp);

	if (lost && lost != qp->lost_told)
		vb_note(ends_test(qp),
			"end %s qp 0x%x: %llu of its %llu messages have not "
			"been received",
			ends_side(qp->end), qp->qpn, (unsigned long long)lost,
			(unsigned long long)lossy_next(qp->loose));
	qp->lost_told = lost;
}

static void settle_qp(struct vb_qp *qp)
{
	settle_owed(qp);
	settle_messages(qp);
	settle_wrs(qp);
	vb_expect_guards(qp);
	settle_events(qp);
	settle_lost(qp);
	if (qp->srq && !qp->srq->gone)
		ends_srq_settle(qp->srq);
}

/* Time for what must not come any more: a second completion, an event. */
static void settle_linger(struct ends *e)
{
	ends_wait(e, vb_deadline(e->t, ENDS_SETTLE_MS), settle_never, NULL);
}

void vb_expect_settled(struct vb_pair *p)
{
	settle_owed(p->a);
	settle_owed(p->b);
	settle_linger(p->a->ends);
	settle_qp(p->a);
	settle_qp(p->b);
}

void vb_expect_qp_settled(struct vb_qp *qp)
{
	settle_owed(qp);
	settle_linger(qp->ends);
	settle_qp(qp);
}

void vb_expect_all_settled(struct vb_test *t)
{
	struct ends *e = ends_of(t);
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		settle_owed(e->qps[i]);
	settle_linger(e);
	for (i = 0; i < e->qps_count; i++)
		settle_qp(e->qps[i]);
}

static void settle_destroyed(struct vb_end *end, const char *what, int err)
{
	if (err)
		vb_fail(end->ends->t, VB_FIND_WRONG_RETURN,
			"end %s: destroying a %s in the right order: %s",
			ends_side(end), what, strerror(-err));
}

static void settle_free_wrs(struct vb_wr *wr)
{
	while (wr) {
		struct vb_wr *next = wr->next;

		free(wr);
		wr = next;
	}
}

/* Newest first, and kind after kind: nothing is referred to any more when its
 * turn comes. */
static void settle_close_end(struct vb_end *end)
{
	static const enum end_kind order[] = { END_SRQ, END_CQ, END_CHANNEL,
					       END_AH,	END_MW, END_MR,
					       END_PD };
	struct end_nothing none = { 0 };
	struct end_census left;
	struct vb_object *o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		for (o = end->objects; o; o = o->next)
			if (o->kind == order[i] && !o->gone)
				settle_destroyed(end, ends_kind_name(o->kind),
						 ends_object_destroy(o));
	cm_close(end);
	(void)end->ops->snapshot(end->host, &none, &left);
	for (i = 0; i < END_KINDS; i++)
		if (left.count[i])
			vb_fail(end->ends->t, VB_FIND_LEAK,
				"end %s: %u %s left behind", ends_side(end),
				left.count[i],
				ends_kind_name((enum end_kind)i));
	settle_destroyed(end, "context",
			 end->ops->close(end->host, &none, &none));
	while ((o = end->objects)) {
		end->objects = o->next;
		settle_free_wrs(o->wrs);
		free(o);
	}
	if (end->remote)
		end_remote_free(end->host);
	else
		end_local_free(end->host);
	free(end->counters);
	free(end);
}

static void settle_free_qp(struct vb_qp *qp)
{
	settle_free_wrs(qp->wrs);
	pairing_destroy(qp->out);
	lossy_destroy(qp->loose);
	free(qp);
}

void vb_ends_close(struct vb_test *t)
{
	struct ends *e = t->ends;
	uint32_t i;

	if (!e)
		return;
	while (e->streams)
		(void)vb_stream_finish(e->streams);
	if (e->peer)
		ends_peer_close(e->peer);
	vb_expect_all_settled(t);
	for (i = 0; i < e->qps_count; i++)
		if (!e->qps[i]->gone)
			settle_destroyed(e->qps[i]->end, "QP",
					 ends_qp_destroy(e->qps[i]));
	for (i = 0; i < 2; i++)
		if (e->end[i])
			settle_close_end(e->end[i]);
	for (i = 0; i < e->qps_count; i++)
		settle_free_qp(e->qps[i]);
	for (i = 0; i < e->pairs_count; i++)
		free(e->pairs[i]);
	ledger_destroy(e->ledger);
	ends_memories_free(e);
	while (e->kept) {
		struct vb_wr *next = e->kept->next;

		free(e->kept);
		e->kept = next;
	}
	free(e);
	t->ends = NULL;
}
