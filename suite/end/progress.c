// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one loop that every wait of a case runs: poll all completion queues of
 * both ends, judge what comes, let streams go on, take events, and look
 * whether what is waited for has come.
 *
 *	completion -> ledger -> pairing (receives) -> content and guards
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "suite/end/ends.h"
#include "suite/end/stream.h"

enum {
	PROGRESS_SPIN = 64,  /* empty rounds before the processor is offered */
	PROGRESS_LOOK = 256, /* rounds between looks at the other process */
	PROGRESS_BLOCK_MS = 20,
	PROGRESS_EVENT_MS = 1000, /* for an event behind its completion */
	/* Stops a device that completes without end. */
	PROGRESS_POLLS_MAX = 4096,
};

const char *ends_wr_text(const struct vb_wr *wr, char *text, size_t room)
{
	char id[WRID_TEXT_MAX];

	snprintf(text, room, "%s (%s, %u bytes)", wrid_text(wr->wr_id, id),
		 wr->send ? verbs_wr_opcode_name(wr->op) : "receive", wr->len);
	return text;
}

unsigned ends_patience_ms(const struct vb_qp *qp)
{
	const struct ibv_qp_attr *far = qp->peer ? &qp->peer->set : &qp->set;
	const struct ibv_qp_attr *near = &qp->set;
	uint64_t ack = vb_ack_timeout_ns(near->timeout), sum = 0;
	uint64_t rnr = vb_rnr_timer_ns(far->min_rnr_timer);
	const uint64_t most = 60 * NS_PER_S;

	if (near->timeout)
		sum += 4 * ack * (near->retry_cnt + 1u);
	if (near->rnr_retry < 7)
		sum += 4 * rnr * (near->rnr_retry + 1u);
	sum = sum < most ? sum : most;
	return ENDS_SLACK_MS + (unsigned)(sum / NS_PER_MS);
}

static struct vb_qp *progress_qp(struct ends *e, unsigned side, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		if (e->qps[i]->end->side == side && e->qps[i]->id == id)
			return e->qps[i];
	return NULL;
}

struct vb_qp *ends_qp_by_number(struct ends *e, const struct vb_end *end,
				uint32_t qpn)
{
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		if (e->qps[i]->end == end && e->qps[i]->qpn == qpn &&
		    !e->qps[i]->gone)
			return e->qps[i];
	return NULL;
}

/* Messages below @count have arrived. */
static void progress_acknowledge(struct vb_qp *qp, uint64_t count)
{
	if (qp->type != IBV_QPT_RC)
		return;
	for (; qp->acknowledged < count; qp->acknowledged++)
		pairing_acknowledged(qp->out, qp->acknowledged);
}

bool ends_holds(struct vb_wr *wr, const struct end_verify *in,
		struct complaint *c)
{
	struct end_verified out;
	int err = wr->end->ops->verify(wr->end->host, in, &out);
	char text[ENDS_TEXT];

	if (err)
		vb_broken(wr->end->ends->t, "verifying a buffer: %s",
			  strerror(-err));
	if (!out.good)
		complaint_set(c, out.complaint.finding, wr->wr_id, "%s: %s",
			      ends_wr_text(wr, text, sizeof(text)),
			      out.complaint.text);
	return out.good;
}

static void progress_verify(struct vb_wr *wr, const struct end_verify *in)
{
	struct complaint c;

	if (!ends_holds(wr, in, &c))
		ends_complain(wr->end->ends, &c);
}

/* Which message must this receive hold?  False: it cannot be known. */
static bool progress_meet(struct vb_wr *wr, struct end_verify *in)
{
	struct vb_qp *qp = wr->qp;
	struct pairing_message m;
	struct complaint c;

	in->len = wr->wc.byte_len;
	if (!qp->origin_known)
		return false;
	in->payload.key = pattern_key(qp->ends->t->seed, &qp->origin);
	in->payload.sequence = qp->received++;
	in->payload.len = in->len;
	in->payload.qp_num = qp->remote.qpn;
	if (!qp->peer)
		return true;
	if (pairing_received(qp->peer->out, &wr->wc, &m, &c))
		ends_complain(qp->ends, &c);
	wr->met = m.user;
	in->payload.sequence = m.number;
	in->payload.len = m.len;
	if (m.opcode != IBV_WR_RDMA_WRITE_WITH_IMM)
		return true;
	/* It takes a receive, but leaves its buffer alone. */
	in->len = 0;
	in->payload.len = 0;
	if (wr->met->qp == qp->peer && wr->met->number == m.number)
		ends_effect_arrived(wr->met);
	return true;
}

void ends_verify_begin(struct vb_wr *wr, struct pattern_context *context,
		       struct end_verify *in)
{
	const struct ends *e = wr->end->ends;

	*context = (struct pattern_context){
		.known = e->known,
		.known_count = e->known_count,
		.expected = wr->qp->origin,
	};
	*in = (struct end_verify){ .place = wr->place,
				   .len = wr->wc.byte_len,
				   .context = context };
}

static void progress_received(struct vb_wr *wr)
{
	struct pattern_context context;
	struct end_verify in;

	if (wr->wc.status == IBV_WC_SUCCESS && wr->qp->loose &&
	    (wr->qp->peer || wr->qp->type == IBV_QPT_UD)) {
		ends_loose_received(wr);
		return;
	}
	ends_verify_begin(wr, &context, &in);
	if (wr->wc.status != IBV_WC_SUCCESS || !progress_meet(wr, &in))
		in.guards_only = true;
	progress_verify(wr, &in);
}

static void progress_sent(struct vb_wr *wr)
{
	struct end_verify in = { .place = wr->place, .send = true };

	if (wr->wc.status == IBV_WC_SUCCESS)
		progress_acknowledge(wr->qp, wr->acks);
	ends_effects_settle(wr);
	progress_verify(wr, &in);
}

/*
 * Receives of an SRQ belong to no queue pair until they are used: only the one
 * that a message was in when its queue pair failed may fail with it (SRQ-10,
 * SRQ-11).
 */
static void progress_srq_order(struct vb_wr *wr)
{
	struct vb_qp *qp = wr->qp;
	enum ibv_wc_status status = wr->wc.status;
	struct complaint c;
	char text[ENDS_TEXT];

	if (status == IBV_WC_SUCCESS && !qp->srq_errors)
		return;
	if (status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR) {
		qp->errors++;
		if ((unsigned)status < 32)
			qp->statuses |= VERBS_STATUS_BIT(status);
	}
	if (status != IBV_WC_SUCCESS && !qp->srq_errors++)
		return;
	if (qp->type != IBV_QPT_RC)
		return;
	complaint_set(&c, VB_FIND_WRONG_STATUS, wr->wr_id,
		      "%s completed with %s on qp 0x%x behind an error: the "
		      "receives of an SRQ are not flushed with a queue pair",
		      ends_wr_text(wr, text, sizeof(text)),
		      verbs_wc_status_name(status), qp->qpn);
	ends_complain(qp->ends, &c);
}

/*
 * After an error nothing on that queue is executed any more: what follows is
 * flushed.  (The receives of UC and UD may fail one at a time.)
 */
static void progress_order(struct vb_wr *wr)
{
	struct vb_qp *qp = wr->qp;
	enum ibv_wc_status status = wr->wc.status;
	bool *failed = wr->send ? &qp->sq_failed : &qp->rq_failed;
	bool alone = !wr->send && qp->type != IBV_QPT_RC;
	struct complaint c;
	char text[ENDS_TEXT];

	if (wr->srq) {
		progress_srq_order(wr);
		return;
	}
	if (*failed && status != IBV_WC_WR_FLUSH_ERR) {
		complaint_set(&c, VB_FIND_WRONG_STATUS, wr->wr_id,
			      "%s completed with %s behind an error on its "
			      "queue, must be WR_FLUSH_ERR",
			      ends_wr_text(wr, text, sizeof(text)),
			      verbs_wc_status_name(status));
		ends_complain(qp->ends, &c);
	}
	if (status == IBV_WC_WR_FLUSH_ERR ||
	    (status != IBV_WC_SUCCESS && !alone))
		*failed = true;
	if (status != IBV_WC_SUCCESS && status != IBV_WC_WR_FLUSH_ERR)
		qp->errors++;
	if (status != IBV_WC_WR_FLUSH_ERR && (unsigned)status < 32)
		qp->statuses |= VERBS_STATUS_BIT(status);
}

/*
 * A flush explains itself when the case has moved the queue pair to ERR, or
 * when an error on either side, which must be explained itself, came before.
 */
static void progress_explain(struct vb_wr *wr)
{
	const struct vb_qp *qp = wr->qp;

	if (wr->wc.status == IBV_WC_WR_FLUSH_ERR &&
	    (qp->told_err || qp->errors || (qp->peer && qp->peer->errors)))
		wr->judged = true;
}

static void progress_settled(struct ends *e, struct ledger_entry *entry,
			     const struct ibv_wc *wc, uint64_t silent)
{
	struct vb_wr *wr = entry->user;

	wr->wc = *wc;
	wr->done = true;
	if (wr->srq)
		wr->generation = wr->qp->generation;
	wr->qp->completions++;
	wr->completed_ns = entry->completed_ns = clock_now_ns();
	progress_explain(wr);
	progress_order(wr);
	if (wr->send) {
		dashboard_send_done(wr->qp->row, wc->status, 1 + silent);
		progress_sent(wr);
	} else {
		dashboard_recv_done(wr->qp->row, wc->status);
		progress_received(wr);
	}
	if (wr->stream)
		ends_stream_done(wr);
}

static uint64_t progress_silent(const struct ledger_entry *e)
{
	return ledger_queue_counts(e->queue)->silent;
}

/* The queue pair that took a receive of an SRQ, on whose CQ it comes. */
static void progress_taken(struct ends *e, const struct vb_object *cq,
			   struct vb_wr *wr, const struct ibv_wc *wc)
{
	char text[ENDS_TEXT];
	struct complaint c;

	wr->qp = ends_qp_by_number(e, cq->end, wc->qp_num);
	if (wr->qp && wr->qp->srq == wr->srq && wr->qp->recv_cq == cq)
		return;
	complaint_set(&c, VB_FIND_FOREIGN, wr->wr_id,
		      "%s completed with qp_num 0x%x, %s",
		      ends_wr_text(wr, text, sizeof(text)), wc->qp_num,
		      !wr->qp		       ? "which is gone"
		      : wr->qp->srq != wr->srq ? "which does not use its SRQ"
					       : "on the CQ of another");
	ends_complain(e, &c);
}

static void progress_judge(struct ends *e, const struct vb_object *cq,
			   const struct ibv_wc *wc)
{
	const struct ledger_source source = { .end = cq->end->side,
					      .cq = cq->id };
	struct ledger_entry *entry;
	struct vb_wr *wr;
	struct complaint c;
	uint64_t silent;
	int err;

	err = ledger_complete(e->ledger, &source, wc, &entry, &c);
	if (err == -ESTALE)
		return;
	if (err)
		ends_complain(e, &c);
	wr = entry->user;
	if (wr->srq)
		progress_taken(e, cq, wr, wc);
	silent = progress_silent(entry);
	progress_settled(e, entry, wc, wr->send ? silent - wr->qp->silent : 0);
	if (wr->send)
		wr->qp->silent = silent;
}

void ends_judge(struct ends *e, const struct vb_object *cq,
		const struct ibv_wc *wc)
{
	progress_judge(e, cq, wc);
}

static uint64_t progress_cq(struct ends *e, struct vb_object *cq)
{
	struct end_poll in = { .cq = cq->id,
			       .max = (uint32_t)e->t->options->batch };
	struct end_polled *out = &e->polled;
	uint64_t sum = 0;
	unsigned polls;
	int i;

	for (polls = 0; polls < PROGRESS_POLLS_MAX; polls++) {
		int err = cq->end->ops->poll(cq->end->host, &in, out);

		if (err || out->count > (int)in.max)
			vb_fail(e->t, VB_FIND_WRONG_RETURN,
				"end %s cq %u: ibv_poll_cq of %u entries "
				"returned %d",
				ends_side(cq->end), cq->id, in.max, out->count);
		if (out->stamps_fell)
			vb_fail(e->t, VB_FIND_WRONG_FIELD,
				"end %s cq %u: a time stamp is before the one "
				"of the completion before",
				ends_side(cq->end), cq->id);
		dashboard_polled(cq->row, (uint32_t)out->count);
		if (!out->count)
			break;
		for (i = 0; i < out->count; i++)
			progress_judge(e, cq, &out->wc[i]);
		sum += (uint64_t)out->count;
		if (out->count < (int)in.max)
			break;
	}
	return sum;
}

static void progress_event(struct vb_end *end, const struct end_event *event)
{
	struct ends *e = end->ends;
	struct vb_object *o;
	struct vb_qp *qp;

	dashboard_async_event(e->dashboard, end->side);
	if (event->type == IBV_EVENT_DEVICE_FATAL)
		vb_fail(e->t, VB_FIND_WRONG_EVENT,
			"end %s: DEVICE_FATAL: the device has failed",
			ends_side(end));
	o = event->id ? ends_object_find(end, event->id) : NULL;
	if (event->type == IBV_EVENT_CQ_ERR) {
		end->cq_errors += !(o && o->may_fail);
		return;
	}
	if (event->type == IBV_EVENT_SRQ_LIMIT_REACHED && o) {
		o->limit_event.came++;
		return;
	}
	if (!event->of_object) {
		vb_note(e->t, "end %s: asynchronous event %s", ends_side(end),
			verbs_event_name(event->type));
		return;
	}
	qp = event->id ? progress_qp(e, end->side, event->id) : NULL;
	if (!qp)
		vb_fail(e->t, VB_FIND_WRONG_EVENT,
			"end %s: %s for an object that is none of ours",
			ends_side(end), verbs_event_name(event->type));
	if ((unsigned)event->type < ENDS_EVENTS)
		qp->events[event->type].came++;
}

static void progress_events(struct ends *e)
{
	struct end_nothing none = { 0 };
	struct end_event event;
	unsigned side;

	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		while (end && !end->ops->event(end->host, &none, &event))
			progress_event(end, &event);
	}
}

uint64_t ends_progress(struct ends *e)
{
	struct vb_stream *s;
	uint64_t sum = 0;
	unsigned side;

	for (side = 0; side < 2; side++) {
		struct vb_object *o = e->end[side] ? e->end[side]->objects
						   : NULL;

		for (; o; o = o->next)
			if (o->kind == END_CQ && !o->gone && !o->held)
				sum += progress_cq(e, o);
	}
	for (s = e->streams; s; s = s->next)
		ends_stream_advance(s);
	return sum;
}

/*
 * No event has come.  If there is a completion all the same, it has just come,
 * and to a CQ that was armed: its event is owed (rule CQ-07).
 */
static void progress_missed(struct ends *e, struct pollfd *fds, unsigned n)
{
	uint64_t deadline = vb_deadline(e->t, PROGRESS_EVENT_MS);

	if (!ends_progress(e))
		return;
	while (!poll(fds, n, PROGRESS_BLOCK_MS))
		if (!vb_waiting(e->t, deadline))
			vb_fail(e->t, VB_FIND_WRONG_EVENT,
				"a completion came to an armed CQ, and no "
				"completion event within %d ms",
				PROGRESS_EVENT_MS);
}

/* Sleep until a completion or event may have come. */
static void progress_block(struct ends *e)
{
	struct pollfd fds[2];
	struct end_nothing none = { 0 };
	struct end_count count;
	unsigned side, n = 0;

	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (!end)
			continue;
		if (end->ops->arm(end->host, &none, &none))
			vb_fail(e->t, VB_FIND_WRONG_RETURN,
				"end %s: ibv_req_notify_cq failed",
				ends_side(end));
		fds[n++] = (struct pollfd){ .fd = end->opened.fd,
					    .events = POLLIN };
	}
	/* What came before the arming raises no event: look again. */
	if (ends_progress(e))
		return;
	if (!poll(fds, n, PROGRESS_BLOCK_MS))
		progress_missed(e, fds, n);
	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (end && end->ops->drain(end->host, &none, &count))
			vb_fail(e->t, VB_FIND_WRONG_RETURN,
				"end %s: ibv_get_cq_event failed",
				ends_side(end));
	}
}

static void progress_idle(struct ends *e)
{
	e->idle++;
	if (e->lock) {
		sched_yield();
		return;
	}
	if (e->idle % PROGRESS_LOOK == 1) {
		progress_events(e);
		if (e->peer)
			ends_peer_look(e->peer);
	}
	if (strcmp(e->t->options->cq_mode, "event") == 0)
		progress_block(e);
	else if (e->idle > PROGRESS_SPIN)
		sched_yield();
}

bool ends_wait(struct ends *e, uint64_t deadline_ns, bool (*done)(void *arg),
	       void *arg)
{
	uint64_t events_ns = 0;

	e->idle = 0;
	for (;;) {
		uint64_t got;
		bool over;

		ends_lock(e);
		got = ends_progress(e);
		/* Events are rare, and a look at them is a system call. */
		if (clock_now_ns() > events_ns) {
			progress_events(e);
			events_ns = clock_now_ns() + NS_PER_MS;
		}
		over = done(arg);
		ends_unlock(e);
		if (over)
			return true;
		if (!vb_waiting(e->t, deadline_ns))
			return false;
		if (got)
			e->idle = 0;
		else
			progress_idle(e);
	}
}

static bool progress_never(void *arg)
{
	return false;
}

void vb_let_pass(struct vb_test *t, unsigned ms)
{
	ends_wait(ends_of(t), vb_deadline(t, ms), progress_never, NULL);
}
