// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one loop that every wait of a case runs: poll all completion queues of
 * both ends, have what comes judged (judge.c), let streams go on, take events,
 * and look whether what is waited for has come.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "suite/end/ends.h"
#include "suite/end/remote.h"
#include "suite/end/stream.h"

enum {
	PROGRESS_SPIN = 64,  /* empty rounds before the processor is offered */
	PROGRESS_LOOK = 256, /* rounds between looks at the other process */
	PROGRESS_BLOCK_MS = 20,
	PROGRESS_NAP_NS = 30000,
	PROGRESS_NAP_DOUBLINGS = 4,
	PROGRESS_FRESH_NS = 5000000,
	PROGRESS_EVENT_MS = 1000, /* for an event behind its completion */
	/* Stops a device that completes without end. */
	PROGRESS_POLLS_MAX = 4096,
};

static struct vb_qp *progress_qp(struct ends *e, unsigned side, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		if (e->qps[i]->end->side == side && e->qps[i]->id == id)
			return e->qps[i];
	return NULL;
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
			ends_judge(e, cq, &out->wc[i]);
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
	end->events += event->of_object;
	o = event->id ? ends_object_find(end, event->id) : NULL;
	if (event->type == IBV_EVENT_CQ_ERR) {
		end->cq_errors += !(o && o->may_fail);
		if (o)
			o->overruns++;
		return;
	}
	if (event->type == IBV_EVENT_SRQ_LIMIT_REACHED && o) {
		o->limit_event.came++;
		return;
	}
	if (event->type == IBV_EVENT_PORT_ERR ||
	    event->type == IBV_EVENT_PORT_ACTIVE)
		end->port_events[event->type == IBV_EVENT_PORT_ACTIVE].came++;
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
	int err;

	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (!end || (end->remote && !end->may_have_event))
			continue;
		end->may_have_event = false;
		while (!(err = end->ops->event(end->host, &none, &event)))
			progress_event(end, &event);
		/* AEV-15: without one it does not wait, and says so. */
		if (err != -EAGAIN)
			vb_fail(e->t, VB_FIND_WRONG_RETURN,
				"end %s: ibv_get_async_event, with none there: "
				"%s, must be EAGAIN",
				ends_side(end), strerror(-err));
	}
}

static uint64_t progress_end(struct ends *e, struct vb_end *end)
{
	struct vb_object *o;
	uint64_t sum = 0;

	for (o = end->objects; o; o = o->next)
		if (o->kind == END_CQ && !o->gone && !o->held)
			sum += progress_cq(e, o);
	return sum;
}

void ends_progress_cq(struct vb_object *cq)
{
	if (cq->end->remote)
		(void)ends_watch_now(cq->end);
	else if (!cq->gone && !cq->held)
		(void)progress_cq(cq->end->ends, cq);
}

static uint64_t progress_streams(struct ends *e)
{
	struct vb_stream *s;

	for (s = e->streams; s; s = s->next)
		ends_stream_advance(s);
	return 0;
}

/* One look at both ends; @watch: how to look at one that is elsewhere. */
static uint64_t progress_round(struct ends *e,
			       uint64_t (*watch)(struct vb_end *end))
{
	uint64_t sum = 0;
	unsigned side;

	e->rounds++;
	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (end)
			sum += end->remote ? watch(end) : progress_end(e, end);
	}
	return sum + progress_streams(e);
}

uint64_t ends_progress(struct ends *e)
{
	return progress_round(e, ends_watch_now);
}

/* The same within a wait: an end elsewhere is looked at without waiting for
 * its answer. */
static uint64_t progress_step(struct ends *e)
{
	return progress_round(e, ends_watch_step);
}

/* After a wait: what an end elsewhere has found so far is not left behind. */
static void progress_rest(struct ends *e)
{
	unsigned side;

	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (end && end->remote && end_remote_watching(end->host))
			(void)ends_watch_now(end);
		if (end && end->may_have_event)
			progress_events(e);
	}
}

/* Descriptors that become readable when an end has an event. */
static unsigned progress_fds(struct ends *e, struct pollfd fds[2])
{
	unsigned side, n = 0;

	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (!end)
			continue;
		if (end->remote)
			ends_watch_sleep(end);
		fds[n++] = (struct pollfd){ .fd = end->opened.fd,
					    .events = POLLIN };
	}
	return n;
}

/*
 * No event has come.  If there is a completion all the same, it has just come,
 * and to a CQ that was armed: its event is owed (rule CQ-07).
 */
static void progress_missed(struct ends *e)
{
	uint64_t deadline = vb_deadline(e->t, PROGRESS_EVENT_MS);
	struct pollfd fds[2];
	unsigned n;

	if (!ends_progress(e))
		return;
	n = progress_fds(e, fds);
	while (!poll(fds, n, PROGRESS_BLOCK_MS))
		if (!vb_waiting(e->t, deadline))
			vb_fail(e->t, VB_FIND_WRONG_EVENT,
				"a completion came to an armed CQ, and no "
				"completion event within %d ms",
				PROGRESS_EVENT_MS);
}

/* Take and count the completion events that have come. */
static void progress_drain(struct vb_end *end)
{
	struct end_nothing none = { 0 };
	struct end_drained out;
	uint32_t i;

	do {
		if (end->ops->drain(end->host, &none, &out))
			vb_fail(end->ends->t, VB_FIND_WRONG_RETURN,
				"end %s: ibv_get_cq_event failed",
				ends_side(end));
		for (i = 0; i < out.count; i++) {
			struct vb_object *cq = ends_object_find(end, out.cq[i]);

			if (cq)
				dashboard_cq_event(cq->row);
		}
	} while (out.count == END_DRAINED_MAX);
}

/* Sleep until a completion or event may have come. */
static void progress_block(struct ends *e)
{
	struct pollfd fds[2];
	struct end_nothing none = { 0 };
	unsigned side, n;

	for (side = 0; side < 2; side++) {
		struct vb_end *end = e->end[side];

		if (!end)
			continue;
		if (end->ops->arm(end->host, &none, &none))
			vb_fail(e->t, VB_FIND_WRONG_RETURN,
				"end %s: ibv_req_notify_cq failed",
				ends_side(end));
	}
	/* What came before the arming raises no event: look again. */
	if (ends_progress(e))
		return;
	n = progress_fds(e, fds);
	if (!poll(fds, n, PROGRESS_BLOCK_MS))
		progress_missed(e);
	for (side = 0; side < 2; side++)
		if (e->end[side])
			progress_drain(e->end[side]);
}

/*
 * The processor is offered.  An end elsewhere may be on this very host, and
 * its answer is soonest here when this process sleeps until it comes.
 */
static void progress_nap(struct ends *e)
{
	struct timespec nap = { .tv_nsec = PROGRESS_NAP_NS };
	struct pollfd p = { .events = POLLIN };
	unsigned side;

	for (side = 0; side < 2; side++)
		if (e->end[side] && e->end[side]->remote)
			break;
	if (side == 2) {
		sched_yield();
		return;
	}
	p.fd = e->end[side]->opened.fd;
	/* The longer nothing has come, the less there is to be missed. */
	nap.tv_nsec <<= e->idle / PROGRESS_SPIN < PROGRESS_NAP_DOUBLINGS
				? e->idle / PROGRESS_SPIN
				: PROGRESS_NAP_DOUBLINGS;
	(void)ppoll(&p, 1, &nap, NULL);
}

static bool progress_far(const struct ends *e)
{
	return (e->end[0] && e->end[0]->remote) ||
	       (e->end[1] && e->end[1]->remote);
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
	else if (e->idle > PROGRESS_SPIN || progress_far(e))
		progress_nap(e);
}

/* The time is over: has it come with what was on its way from elsewhere? */
static bool progress_last(struct ends *e, bool (*done)(void *arg), void *arg)
{
	bool over;

	ends_lock(e);
	progress_rest(e);
	over = done(arg);
	ends_unlock(e);
	return over;
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
		got = progress_step(e);
		/* Events are rare, and a look at them is a system call. */
		if (clock_now_ns() > events_ns) {
			progress_events(e);
			events_ns = clock_now_ns() + NS_PER_MS;
		}
		over = done(arg);
		if (over)
			progress_rest(e);
		ends_unlock(e);
		if (over)
			return true;
		if (!vb_waiting(e->t, deadline_ns))
			return progress_last(e, done, arg);
		if (got)
			e->idle = 0;
		else
			progress_idle(e);
	}
}

bool ends_already(struct ends *e, bool (*done)(void *arg), void *arg)
{
	uint64_t now_ns = clock_now_ns();
	bool far = false, fresh = true, over;
	unsigned side;

	ends_lock(e);
	for (side = 0; side < 2; side++) {
		const struct vb_end *end = e->end[side];

		if (!end || !end->remote)
			continue;
		far = true;
		fresh &= now_ns - end->heard_ns < PROGRESS_FRESH_NS;
	}
	over = far && fresh && done(arg);
	ends_unlock(e);
	return over;
}

static bool progress_never(void *arg)
{
	return false;
}

void vb_let_pass(struct vb_test *t, unsigned ms)
{
	ends_wait(ends_of(t), vb_deadline(t, ms), progress_never, NULL);
}
