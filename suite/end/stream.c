// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The standard traffic engine: starting, posting, and its end. */
#include "suite/end/stream.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

enum {
	STREAM_MESSAGES = 256,
	/* Registered memory of a stream's sends, and of its receives. */
	STREAM_BYTES_MAX = 64 << 20,
};

/* The n-th message of a flow. */
struct stream_plan {
	uint32_t len;
	struct prng prng; /* for what each side decides for itself */
};

static void stream_plan(const struct stream_flow *f, uint64_t n,
			struct stream_plan *p)
{
	const struct vb_sizes *sizes = &f->stream->sizes;

	prng_seed(&p->prng, hash_mix64(f->seed + n));
	/* A list is gone through, so that every entry is met. */
	if (sizes->kind == VB_SIZES_LIST)
		p->len = sizes->bytes[n % sizes->count];
	else
		p->len = ends_size_draw(f->stream->ends->t, &p->prng, sizes);
}

static void stream_place(struct stream_side *side, uint64_t n, uint32_t len,
			 uint32_t sges, struct prng *prng,
			 struct end_place *place)
{
	uint32_t pieces = sges > 1 ? 1 + (uint32_t)prng_below(prng, sges) : 1;

	memset(place, 0, sizeof(*place));
	ends_split(prng, len, pieces, place);
	place->mr = side->mr->id;
	place->slot = (uint32_t)(n % side->slots);
}

static struct vb_wr *stream_wr(struct stream_flow *f, struct stream_side *side,
			       uint64_t n, uint32_t len)
{
	struct vb_wr *wr = &side->wrs[n % side->slots];

	*wr = (struct vb_wr){ .qp = side->qp,
			      .send = side == &f->send,
			      .len = len,
			      .judged = true,
			      .stream = f->stream,
			      .flow = f };
	return wr;
}

static void stream_recv_form(struct stream_flow *f, uint64_t n,
			     struct vb_wr **wr, struct end_wr *form)
{
	struct stream_plan p;
	uint32_t room;

	stream_plan(f, n, &p);
	memset(form, 0, sizeof(*form));
	/* Now and then with room to spare, which must stay untouched. */
	room = p.len;
	p.prng.s[0] ^= 0x72656376;
	if (prng_below(&p.prng, 4) == 0)
		room += (uint32_t)prng_below(&p.prng, 64);
	stream_place(&f->recv, n, room, f->stream->args.sges, &p.prng,
		     &form->place);
	*wr = stream_wr(f, &f->recv, n, room);
}

static void stream_send_form(struct stream_flow *f, uint64_t n,
			     struct vb_wr **wr, struct end_wr *form)
{
	const struct vb_stream_args *a = &f->stream->args;
	struct stream_plan p;

	stream_plan(f, n, &p);
	memset(form, 0, sizeof(*form));
	stream_place(&f->send, n, p.len, a->sges, &p.prng, &form->place);
	form->op = IBV_WR_SEND;
	if (a->imm && n % 2) {
		form->op = IBV_WR_SEND_WITH_IMM;
		form->imm_data = htobe32((uint32_t)prng_next(&p.prng));
	}
	if (n % a->signal_every == a->signal_every - 1 || n + 1 == a->messages)
		form->flags |= IBV_SEND_SIGNALED;
	if (a->solicited && n % 3 == 0)
		form->flags |= IBV_SEND_SOLICITED;
	if (a->inlined && p.len <= f->send.qp->cap.max_inline_data)
		form->flags |= IBV_SEND_INLINE;
	*wr = stream_wr(f, &f->send, n, p.len);
}

/* Post up to @count more of one side, in lists as the arguments say. */
static void stream_post(struct stream_flow *f, struct stream_side *side,
			uint64_t count)
{
	struct ends *e = f->stream->ends;
	struct vb_wr *wrs[VB_LIST_MAX];

	while (count) {
		uint32_t n = count < f->stream->args.list
				     ? (uint32_t)count
				     : f->stream->args.list;
		uint32_t i;

		for (i = 0; i < n; i++) {
			if (side == &f->send)
				stream_send_form(f, side->posted + i, &wrs[i],
						 &e->list[i]);
			else
				stream_recv_form(f, side->posted + i, &wrs[i],
						 &e->list[i]);
		}
		side->posted += n;
		count -= n;
		ends_post(side->qp, wrs, n, e->list, n, 0);
	}
}

static uint64_t stream_room(const struct stream_side *side, uint64_t total)
{
	uint64_t room = side->slots - (side->posted - side->settled);
	uint64_t left = total - side->posted;

	return room < left ? room : left;
}

static void stream_flow_advance(struct stream_flow *f)
{
	const struct vb_stream_args *a = &f->stream->args;
	uint64_t room;

	stream_post(f, &f->recv, stream_room(&f->recv, a->messages));
	room = stream_room(&f->send, a->messages);
	/* Without the intent to be not ready, no send precedes its receive. */
	if (a->receives >= a->inflight &&
	    f->send.posted + room > f->recv.posted)
		room = f->recv.posted - f->send.posted;
	stream_post(f, &f->send, room);
}

void ends_stream_advance(struct vb_stream *s)
{
	uint32_t i;

	if (s->busy)
		return;
	s->busy = true;
	for (i = 0; i < s->flows; i++)
		stream_flow_advance(&s->flow[i]);
	s->busy = false;
}

/* Called for each completion, found right, of a stream's work request. */
void ends_stream_done(struct vb_wr *wr)
{
	struct stream_flow *f = wr->flow;
	struct stream_side *side = wr->send ? &f->send : &f->recv;
	uint64_t n = side->settled;

	/* A completion settles the unsignaled ones before it. */
	while (&side->wrs[n % side->slots] != wr)
		n++;
	assert(n < side->posted);
	side->settled = n + 1;
	if (wr->send)
		return;
	f->stream->judged++;
	f->bytes += wr->wc.byte_len;
	vb_checked(f->stream->ends->t);
}

static uint32_t stream_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void stream_side_open(struct vb_stream *s, struct stream_side *side,
			     struct vb_qp *qp, uint32_t slots, uint32_t depth,
			     uint32_t room)
{
	uint32_t fits = (uint32_t)(STREAM_BYTES_MAX / s->flows / (room + 256));

	side->qp = qp;
	side->slots = stream_least(stream_least(slots, depth), fits ? fits : 1);
	side->mr = ends_mr_make(qp->pd, side->slots, room, END_SGES_MAX, true,
				IBV_ACCESS_LOCAL_WRITE);
	side->wrs = calloc(side->slots, sizeof(*side->wrs));
	if (!side->wrs)
		vb_broken(s->ends->t, "no memory for a stream");
}

static void stream_flow_open(struct vb_stream *s, struct stream_flow *f,
			     struct vb_qp *from, struct vb_qp *to)
{
	uint32_t room = ends_size_max(s->ends->t, &s->sizes) + 64;

	if (s->args.sges > from->cap.max_send_sge ||
	    s->args.sges > to->cap.max_recv_sge)
		vb_broken(s->ends->t,
			  "a stream of %u SGEs on queue pairs that take %u/%u",
			  s->args.sges, from->cap.max_send_sge,
			  to->cap.max_recv_sge);
	f->stream = s;
	f->seed = prng_next(&s->ends->prng);
	stream_side_open(s, &f->send, from, s->args.inflight,
			 from->cap.max_send_wr, room);
	stream_side_open(s, &f->recv, to, s->args.receives, to->cap.max_recv_wr,
			 room);
	/* Somebody has to be signaled before the queue is full. */
	if (s->args.signal_every > f->send.slots)
		s->args.signal_every = f->send.slots;
}

static void stream_defaults(struct vb_stream *s, struct vb_test *t)
{
	struct vb_stream_args *a = &s->args;

	s->sizes = a->sizes ? *a->sizes : t->options->size;
	if (!s->sizes.count)
		s->sizes.kind = VB_SIZES_RANDOM;
	a->messages = a->messages ? a->messages : STREAM_MESSAGES;
	a->inflight = a->inflight ? a->inflight
				  : (uint32_t)t->options->inflight;
	a->receives = a->receives ? a->receives : a->inflight;
	a->sges = a->sges ? a->sges : 1;
	a->signal_every = a->signal_every ? a->signal_every : 1;
	a->list = a->list ? stream_least(a->list, VB_LIST_MAX) : 1;
}

struct vb_stream *vb_stream_start_args(struct vb_pair *const *pairs,
				       uint32_t count,
				       const struct vb_stream_args *args)
{
	struct ends *e = pairs[0]->a->ends;
	struct vb_stream *s = calloc(1, sizeof(*s));
	uint32_t i, n = 0;

	if (!s)
		vb_broken(e->t, "no memory for a stream");
	s->ends = e;
	s->args = *args;
	stream_defaults(s, e->t);
	s->flows = count * (args->direction == VB_BOTH_WAYS ? 2 : 1);
	s->flow = calloc(s->flows, sizeof(*s->flow));
	if (!s->flow)
		vb_broken(e->t, "no memory for a stream");
	for (i = 0; i < count; i++) {
		if (args->direction != VB_B_TO_A)
			stream_flow_open(s, &s->flow[n++], pairs[i]->a,
					 pairs[i]->b);
		if (args->direction != VB_A_TO_B)
			stream_flow_open(s, &s->flow[n++], pairs[i]->b,
					 pairs[i]->a);
	}
	s->begun_ns = clock_now_ns();
	s->next = e->streams;
	e->streams = s;
	ends_stream_advance(s);
	return s;
}

static bool stream_ended(const struct vb_stream *s)
{
	uint32_t i;

	for (i = 0; i < s->flows; i++)
		if (s->flow[i].send.settled < s->args.messages ||
		    s->flow[i].recv.settled < s->args.messages)
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
		sum += s->flow[i].send.settled + s->flow[i].recv.settled;
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

static void stream_stalled(struct vb_stream *s, unsigned ms) NO_RETURN;

static void stream_stalled(struct vb_stream *s, unsigned ms)
{
	const struct stream_flow *f = s->flow;

	while (f->recv.settled == s->args.messages &&
	       f->send.settled == s->args.messages)
		f++;
	s->ends->focus = f->send.qp;
	vb_fail(s->ends->t, VB_FIND_LOST,
		"%s qp 0x%x to qp 0x%x: nothing completed for %u ms: of %u "
		"messages %" PRIu64 " posted, %" PRIu64 " completed, %" PRIu64
		" receives posted, %" PRIu64 " completed",
		ends_side(f->send.qp->end), f->send.qp->qpn, f->recv.qp->qpn,
		ms, s->args.messages, f->send.posted, f->send.settled,
		f->recv.posted, f->recv.settled);
}

static void stream_wait(struct vb_stream *s, uint64_t judged)
{
	struct stream_goal goal = { .s = s, .judged = judged };
	unsigned ms = ends_patience_ms(s->flow[0].send.qp);
	struct vb_test *t = s->ends->t;

	while (!stream_reached(&goal)) {
		goal.seen = stream_seen(s);
		if (!ends_wait(s->ends, vb_deadline(t, ms), stream_moved,
			       &goal))
			stream_stalled(s, ms);
	}
}

bool vb_stream_reach(struct vb_stream *s, uint64_t messages)
{
	stream_wait(s, messages);
	return !stream_ended(s);
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
		tally.messages += s->flow[i].recv.settled;
		tally.bytes += s->flow[i].bytes;
		/* The memory goes back: a case may run many streams. */
		(void)ends_object_destroy(s->flow[i].send.mr);
		(void)ends_object_destroy(s->flow[i].recv.mr);
		free(s->flow[i].send.wrs);
		free(s->flow[i].recv.wrs);
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
