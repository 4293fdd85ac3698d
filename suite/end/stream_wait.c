// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The standard traffic engine: waiting for it, and its end. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "suite/end/stream.h"

enum {
	STREAM_LOST_MS = 200, /* until what has not come is lost */
	STREAM_SOME = 16,     /* of so many messages some must get through */
};

static bool stream_flow_ended(const struct stream_flow *f)
{
	if (f->send.settled < f->stream->args.messages)
		return false;
	return f->recv.pool ? f->recv.received >= f->takes
			    : f->recv.settled >= f->stream->args.messages;
}

static bool stream_ended(const struct vb_stream *s)
{
	uint32_t i;

	for (i = 0; i < s->flows; i++)
		if (!stream_flow_ended(&s->flow[i]))
			return false;
	return true;
}

/* What a wait looks for: so many messages, or any progress at all. */
struct stream_goal {
	struct vb_stream *s;
	uint64_t judged; /* UINT64_MAX: the end */
	uint64_t seen;	 /* progress when the deadline was set */
};

static uint64_t stream_seen(const struct vb_stream *s)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < s->flows; i++)
		sum += s->flow[i].send.settled + s->flow[i].recv.settled +
		       s->flow[i].recv.received;
	return sum;
}

static bool stream_reached(const struct stream_goal *g)
{
	return g->s->judged >= g->judged || stream_ended(g->s);
}

static bool stream_moved(void *arg)
{
	const struct stream_goal *g = arg;

	return stream_reached(g) || stream_seen(g->s) != g->seen;
}

static void stream_stalled(struct vb_stream *s, uint64_t since_ns) NO_RETURN;

static void stream_stalled(struct vb_stream *s, uint64_t since_ns)
{
	uint64_t ms = (clock_now_ns() - since_ns) / NS_PER_MS;
	const struct stream_flow *f = s->flow;

	while (stream_flow_ended(f))
		f++;
	s->ends->focus = f->send.qp;
	vb_fail(s->ends->t, VB_FIND_LOST,
		"%s qp 0x%x to qp 0x%x: nothing completed for %" PRIu64
		" ms: of %u "
		"messages %" PRIu64 " posted, %" PRIu64 " completed, %" PRIu64
		" receives posted, %" PRIu64 " completed",
		ends_side(f->send.qp->end), f->send.qp->qpn, f->recv.qp->qpn,
		ms, s->args.messages, f->send.posted, f->send.settled,
		f->recv.posted,
		f->recv.pool ? f->recv.received : f->recv.settled);
}

/* All that is missing are messages that may have been lost on the way. */
static bool stream_only_lost(const struct vb_stream *s)
{
	uint32_t i;

	for (i = 0; i < s->flows; i++)
		if (!s->flow[i].send.qp->loose ||
		    s->flow[i].send.settled < s->args.messages)
			return false;
	return true;
}

static void stream_lost(const struct vb_stream *s)
{
	uint32_t i;

	for (i = 0; i < s->flows; i++) {
		const struct stream_flow *f = &s->flow[i];

		vb_check(s->ends->t, VB_FIND_LOST,
			 f->recv.received || f->takes < STREAM_SOME,
			 "%s qp 0x%x to qp 0x%x: none of %" PRIu64
			 " messages has been received",
			 ends_side(f->send.qp->end), f->send.qp->qpn,
			 f->recv.qp->qpn, f->takes);
	}
}

static void stream_wait(struct vb_stream *s, uint64_t judged)
{
	struct stream_goal goal = { .s = s, .judged = judged };
	unsigned ms = ends_patience_ms(s->flow[0].send.qp);
	struct vb_test *t = s->ends->t;

	while (!stream_reached(&goal)) {
		bool only_lost = stream_only_lost(s);
		uint64_t since_ns = clock_now_ns();

		goal.seen = stream_seen(s);
		if (ends_wait(s->ends,
			      vb_deadline(t, only_lost ? STREAM_LOST_MS : ms),
			      stream_moved, &goal))
			continue;
		if (!only_lost)
			stream_stalled(s, since_ns);
		stream_lost(s);
		return;
	}
}

void vb_stream_shares(const struct vb_stream *s, uint64_t *least,
		      uint64_t *most)
{
	uint32_t i;

	*least = UINT64_MAX;
	*most = 0;
	for (i = 0; i < s->flows; i++) {
		uint64_t got = s->flow[i].recv.received;

		*least = got < *least ? got : *least;
		*most = got > *most ? got : *most;
	}
}

bool vb_stream_reach(struct vb_stream *s, uint64_t messages)
{
	stream_wait(s, messages);
	return !stream_ended(s);
}

/* Receives that nothing came to stay posted: so do their memory and their
 * handles, which nobody waits for any more. */
static void stream_side_close(struct ends *e, struct stream_side *side)
{
	bool left = side->pool && side->free_count < side->slots;
	uint32_t i;

	free(side->free);
	if (!left) {
		/* The memory goes back: a case may run many streams. */
		(void)ends_object_destroy(side->mr);
		free(side->wrs);
		return;
	}
	for (i = 0; i < side->slots; i++)
		side->wrs[i].stream = NULL;
	side->wrs[0].next = e->kept;
	e->kept = side->wrs;
}

struct vb_tally vb_stream_finish(struct vb_stream *s)
{
	struct vb_stream **at = &s->ends->streams;
	struct vb_tally tally = { 0 };
	uint32_t i;

	stream_wait(s, UINT64_MAX);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	tally.duration_ns = clock_now_ns() - s->begun_ns;
	for (i = 0; i < s->flows; i++) {
		struct stream_flow *f = &s->flow[i];

		tally.messages += f->send.settled;
		tally.bytes += f->bytes;
		tally.lost += f->takes - f->recv.received;
		if (f->target) {
			(void)vb_expect_memory(f->target);
			(void)ends_object_destroy(f->target);
		}
		stream_side_close(s->ends, &f->recv);
		stream_side_close(s->ends, &f->send);
	}
	free(s->flow);
	free(s);
	return tally;
}

struct vb_tally vb_stream_args(struct vb_pair *const *pairs, uint32_t count,
			       const struct vb_stream_args *args)
{
	return vb_stream_finish(vb_stream_start_args(pairs, count, args));
}
