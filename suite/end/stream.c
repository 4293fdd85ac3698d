// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The standard traffic engine: starting, posting, and its end. */
#include "suite/end/stream.h"

#include <assert.h>
#include <endian.h>
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
	if (f->datagram && p->len > f->send.qp->end->mtu)
		p->len = f->send.qp->end->mtu;
}

/* What message @n does, as both sides know. */
static enum vb_op stream_op(const struct stream_flow *f, uint64_t n, bool *imm)
{
	const struct vb_stream_args *a = &f->stream->args;
	enum vb_op ops[4];
	/* iWARP has none. */
	bool can = !ends_iwarp(f->send.qp->end);
	bool with[4] = { can && a->imm && n % 2 };
	unsigned count = 0, i;

	if (!a->no_send || !a->mix)
		ops[count++] = VB_SEND;
	else
		with[0] = false;
	if (a->mix & VB_MIX_WRITE)
		ops[count++] = VB_WRITE;
	if (a->mix & VB_MIX_WRITE_IMM) {
		with[count] = can;
		ops[count++] = VB_WRITE;
	}
	if (a->mix & VB_MIX_READ)
		ops[count++] = VB_READ;
	i = (unsigned)(hash_mix64(f->seed ^ (n * 2 + 1)) % count);
	*imm = with[i];
	return ops[i];
}

static bool stream_takes(const struct stream_flow *f, uint64_t n)
{
	bool imm;
	enum vb_op op = stream_op(f, n, &imm);

	return op == VB_SEND || imm;
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
			      .end = side->qp->end,
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
	struct stream_side *side = &f->recv;
	struct stream_plan p;
	uint32_t room;

	stream_plan(f, n, &p);
	memset(form, 0, sizeof(*form));
	/* Now and then with room to spare, which must stay untouched. */
	room = side->pool ? f->room : p.len;
	p.prng.s[0] ^= 0x72656376;
	if (!side->pool && prng_below(&p.prng, 4) == 0)
		room += (uint32_t)prng_below(&p.prng, 64);
	room += f->datagram;
	if (side->pool)
		n = side->free[--side->free_count];
	stream_place(side, n, room, f->stream->args.sges, &p.prng,
		     &form->place);
	*wr = stream_wr(f, side, n, room);
}

static unsigned stream_flags(const struct stream_flow *f, uint64_t n,
			     enum vb_op op, uint32_t len)
{
	const struct vb_stream_args *a = &f->stream->args;
	unsigned flags = 0;

	if (n % a->signal_every == a->signal_every - 1 || n + 1 == a->messages)
		flags |= IBV_SEND_SIGNALED;
	if (a->solicited && n % 3 == 0 && op == VB_SEND)
		flags |= IBV_SEND_SOLICITED;
	if (a->inlined && len <= f->send.qp->cap.max_inline_data &&
	    op != VB_READ)
		flags |= IBV_SEND_INLINE;
	return flags;
}

static enum ibv_wr_opcode stream_opcode(enum vb_op op, bool imm)
{
	if (op == VB_READ)
		return IBV_WR_RDMA_READ;
	if (op == VB_WRITE)
		return imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE;
	return imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
}

static void stream_send_form(struct stream_flow *f, uint64_t n,
			     struct vb_wr **wr, struct end_wr *form)
{
	const struct vb_stream_args *a = &f->stream->args;
	struct vb_qp *qp = f->send.qp;
	struct vb_send_args args = { 0 };
	struct stream_plan p;
	enum vb_op op;
	bool imm;

	stream_plan(f, n, &p);
	op = stream_op(f, n, &imm);
	memset(form, 0, sizeof(*form));
	stream_place(&f->send, n, p.len, a->sges, &p.prng, &form->place);
	form->op = stream_opcode(op, imm);
	if (imm)
		form->imm_data = htobe32((uint32_t)prng_next(&p.prng));
	form->flags = stream_flags(f, n, op, p.len);
	*wr = stream_wr(f, &f->send, n, p.len);
	ends_datagram_form(qp, &args, *wr, form);
	if (op == VB_SEND)
		return;
	args.to = f->target;
	args.offset = (uint32_t)(n % f->send.slots) * f->stride;
	ends_effect_enter(qp, *wr, &args, form);
}

/* Post up to @count more sends, in lists as the arguments say. */
static void stream_post_sends(struct stream_flow *f, uint64_t count)
{
	struct stream_side *side = &f->send;
	struct vb_wr *wrs[VB_LIST_MAX];

	while (count) {
		uint32_t n = count < f->stream->args.list
				     ? (uint32_t)count
				     : f->stream->args.list;
		uint32_t i;

		for (i = 0; i < n; i++) {
			stream_send_form(f, side->posted + i, &wrs[i],
					 &ends_list()[i]);
			f->takes_sent += stream_takes(f, side->posted + i);
		}
		side->posted += n;
		count -= n;
		ends_post(side->qp, wrs, n, ends_list(), n, 0);
	}
}

/* The same of receives, for those of the next @count messages that take one. */
static void stream_post_recvs(struct stream_flow *f, uint64_t count)
{
	struct stream_side *side = &f->recv;
	struct vb_wr *wrs[VB_LIST_MAX];
	uint32_t n = 0;

	while (count--) {
		if (side->pool || stream_takes(f, side->posted)) {
			stream_recv_form(f, side->posted, &wrs[n],
					 &ends_list()[n]);
			n++;
		}
		side->posted++;
		if (n && (n == f->stream->args.list || !count)) {
			ends_post(side->qp, wrs, n, ends_list(), n, 0);
			n = 0;
		}
	}
	if (n)
		ends_post(side->qp, wrs, n, ends_list(), n, 0);
}

static uint64_t stream_room(const struct stream_side *side, uint64_t total)
{
	uint64_t room = side->slots - (side->posted - side->settled);
	uint64_t left = total - side->posted;

	return room < left ? room : left;
}

/* Over the messages at the front that take no receive. */
static void stream_skip(struct stream_flow *f)
{
	struct stream_side *side = &f->recv;

	while (!side->pool && side->settled < side->posted &&
	       !stream_takes(f, side->settled))
		side->settled++;
}

static uint64_t stream_recv_room(const struct stream_flow *f)
{
	uint64_t left = f->takes - f->recv.posted;

	if (!f->recv.pool)
		return stream_room(&f->recv, f->stream->args.messages);
	return f->recv.free_count < left ? f->recv.free_count : left;
}

static void stream_flow_advance(struct stream_flow *f)
{
	const struct vb_stream_args *a = &f->stream->args;
	uint64_t room, left;

	stream_skip(f);
	stream_post_recvs(f, stream_recv_room(f));
	room = stream_room(&f->send, a->messages);
	if (a->receives < a->inflight) {
		stream_post_sends(f, room);
		return;
	}
	/* Without the intent to be not ready, no send precedes its receive. */
	if (!f->recv.pool) {
		left = f->recv.posted - f->send.posted;
		stream_post_sends(f, room < left ? room : left);
		return;
	}
	while (room && (f->takes_sent < f->recv.posted ||
			!stream_takes(f, f->send.posted))) {
		left = f->recv.posted - f->takes_sent;
		left = left ? left : 1;
		left = room < left ? room : left;
		stream_post_sends(f, left);
		room -= left;
	}
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

static void stream_pool_done(struct stream_flow *f, const struct vb_wr *wr)
{
	struct stream_side *side = &f->recv;

	side->free[side->free_count++] = (uint32_t)(wr - side->wrs);
}

/* The flow that ends in @qp: an SRQ's receive may serve another's. */
static struct stream_flow *stream_flow_to(struct vb_stream *s,
					  const struct vb_qp *qp)
{
	uint32_t i;

	for (i = 0; i < s->flows; i++)
		if (s->flow[i].recv.qp == qp)
			return &s->flow[i];
	return NULL;
}

static void stream_received(struct stream_flow *f, const struct vb_wr *wr)
{
	f->recv.received++;
	f->stream->judged++;
	f->bytes += wr->wc.byte_len;
	vb_checked(f->stream->ends->t);
}

/* Called for each completion, found right, of a stream's work request. */
void ends_stream_done(struct vb_wr *wr)
{
	struct stream_flow *f = wr->flow;
	struct stream_side *side = wr->send ? &f->send : &f->recv;
	uint64_t n = side->settled;

	if (!wr->send && side->pool) {
		stream_pool_done(f, wr);
		f = stream_flow_to(f->stream, wr->qp);
		if (f)
			stream_received(f, wr);
		return;
	}
	/* A completion settles the unsignaled ones before it. */
	while (&side->wrs[n % side->slots] != wr)
		n++;
	assert(n < side->posted);
	side->settled = n + 1;
	if (wr->send)
		return;
	stream_skip(f);
	stream_received(f, wr);
}

static uint32_t stream_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void stream_side_open(struct vb_stream *s, struct stream_side *side,
			     struct vb_qp *qp, uint32_t slots, uint32_t depth,
			     uint32_t room)
{
	struct vb_object *pd = side->pool && qp->srq ? qp->srq->in_pd : qp->pd;
	uint32_t fits = (uint32_t)(STREAM_BYTES_MAX / s->flows / (room + 256));
	uint32_t i;

	side->qp = qp;
	side->slots = stream_least(stream_least(slots, depth), fits ? fits : 1);
	side->mr = ends_mr_make(pd, side->slots, room, END_SGES_MAX, true,
				IBV_ACCESS_LOCAL_WRITE);
	side->wrs = calloc(side->slots, sizeof(*side->wrs));
	side->free = calloc(side->slots, sizeof(*side->free));
	if (!side->wrs || !side->free)
		vb_broken(s->ends->t, "no memory for a stream");
	for (i = 0; i < side->slots; i++)
		side->free[side->free_count++] = side->slots - 1 - i;
}

/* Several flows may share an SRQ: each may fill its part of it. */
static uint32_t stream_recv_depth(const struct vb_stream *s,
				  const struct vb_qp *to)
{
	uint32_t share = to->cap.max_recv_wr / s->flows;

	if (!to->srq)
		return to->cap.max_recv_wr;
	return share ? share : 1;
}

static void stream_target(struct stream_flow *f, struct vb_qp *to)
{
	f->stride = (f->room + 7) / 8 * 8;
	if (f->stream->args.mix)
		f->target = vb_create_target(to->pd, f->stride * f->send.slots);
}

static void stream_flow_open(struct vb_stream *s, struct stream_flow *f,
			     struct vb_qp *from, struct vb_qp *to)
{
	uint64_t n;

	if (s->args.sges > from->cap.max_send_sge ||
	    s->args.sges > to->cap.max_recv_sge)
		vb_broken(s->ends->t,
			  "a stream of %u SGEs on queue pairs that take %u/%u",
			  s->args.sges, from->cap.max_send_sge,
			  to->cap.max_recv_sge);
	f->stream = s;
	f->seed = prng_next(&s->ends->prng);
	f->datagram = from->type == IBV_QPT_UD ? END_GRH : 0;
	f->room = ends_size_max(s->ends->t, &s->sizes);
	if (f->datagram && f->room > from->end->mtu)
		f->room = from->end->mtu;
	f->recv.pool = to->srq || from->loose;
	stream_side_open(s, &f->send, from, s->args.inflight,
			 from->cap.max_send_wr, f->room);
	stream_side_open(s, &f->recv, to, s->args.receives,
			 stream_recv_depth(s, to), f->room + 64 + f->datagram);
	stream_target(f, to);
	for (n = 0; n < s->args.messages; n++)
		f->takes += stream_takes(f, n);
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
	a->list = a->list ? a->list : (uint32_t)t->options->lists;
	a->list = stream_least(a->list ? a->list : 1, VB_LIST_MAX);
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
