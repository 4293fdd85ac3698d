// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Steps of a walk about memory windows.  Binding and invalidating are waited
 * for, with nothing else under way: who may use a key, and since when, is then
 * known.
 */
#include "suite/end/walk.h"

static bool walk_calm(const struct walk_line *l, unsigned side)
{
	const struct walk_qp *q = &l->model.qp[side];

	return q->type == IBV_QPT_RC && !q->gone && !l->model.qp[!side].gone &&
	       q->state == IBV_QPS_RTS && walk_idle(&l->model) &&
	       !walk_uncertain(&l->model, side) &&
	       !walk_uncertain(&l->model, !side) && !l->made.builder;
}

/* One that is written and read, of which windows may be made. */
static struct walk_target *walk_window_base(struct walk_line *l,
					    const struct walk_step *s)
{
	struct walk_side *side = &l->side[s->side];
	const unsigned needs = IBV_ACCESS_MW_BIND | IBV_ACCESS_LOCAL_WRITE;
	struct walk_target *base;

	if (!side->targets_count)
		return NULL;
	base = &side->targets[s->mr % side->targets_count];
	return (base->access & needs) == needs && base->len > 2 * WALK_WORDS
		       ? base
		       : NULL;
}

static void walk_window_enter(struct walk_line *l, unsigned side,
			      struct vb_wr *wr, enum ibv_wr_opcode op)
{
	struct walk_post post = { .side = (uint8_t)side,
				  .send = true,
				  .opcode = op,
				  .own = walk_statuses(NULL),
				  .signaled = true };

	walk_enter(l, wr, &post);
	walk_wait(l->walk);
}

static void walk_window_unbind(struct walk_line *l, unsigned side,
			       const struct walk_target *window)
{
	if (window->mr->mw_type == IBV_MW_TYPE_2)
		walk_window_enter(l, side,
				  vb_post_local_inv(l->qp[side],
						    .invalidate = window->mr),
				  IBV_WR_LOCAL_INV);
}

/* The one to be bound: a new one, or one that opens something else by now;
 * NULL: there is none. */
static struct walk_target *walk_window(struct walk_line *l,
				       const struct walk_step *s)
{
	struct walk_side *side = &l->side[s->side];
	struct walk_target *window;
	struct vb_object *mw;

	if (s->again && side->windows_count) {
		window = &side->windows[s->window % side->windows_count];
		walk_window_unbind(l, s->side, window);
		return window;
	}
	if (side->windows_count == WALK_WINDOWS)
		return NULL;
	mw = vb_try_create_mw(vb_end_pd(walk_end(l->walk, s->side)),
			      s->window ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1);
	if (!mw)
		return NULL;
	window = &side->windows[side->windows_count++];
	window->mr = mw;
	return window;
}

void walk_bind(struct walk *w, const struct walk_step *s)
{
	const unsigned access = IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ;
	struct walk_line *l = walk_line_of(w, s);
	struct walk_target *base, *window;
	uint32_t room, offset;

	if (!l || !walk_calm(l, s->side))
		return;
	base = walk_window_base(l, s);
	window = base ? walk_window(l, s) : NULL;
	if (!window)
		return;
	/* The words of atomics stay outside; those that are denied are words
	 * all the same. */
	room = base->len - WALK_WORDS;
	offset = s->offset % room & ~7u;
	window->access = access;
	window->len = 1 + s->len % (room - offset);
	walk_window_enter(l, s->side,
			  vb_bind_mw(l->qp[s->side], window->mr, .mr = base->mr,
				     .offset = offset, .len = window->len,
				     .access = access),
			  IBV_WR_BIND_MW);
}

/* The next message of the peer meets a receive that is posted for it. */
static bool walk_window_hears(struct walk_line *l, unsigned side)
{
	const struct walk_qp *q = &l->model.qp[side];

	ends_progress(l->walk->t->ends);
	return !q->srq && walk_calm(l, !side) &&
	       q->recvs.count == l->model.qp[!side].messages.count &&
	       ledger_queue_outstanding(l->qp[side]->rq) < l->depth &&
	       ledger_queue_outstanding(l->qp[!side]->sq) < l->depth;
}

static void walk_window_by_peer(struct walk_line *l, unsigned side,
				const struct walk_target *window, uint32_t len)
{
	struct walk_post recv = { .side = (uint8_t)side,
				  .len = len,
				  .own = walk_statuses(NULL),
				  .signaled = true };
	struct walk_post send = { .side = (uint8_t)!side,
				  .send = true,
				  .opcode = IBV_WR_SEND_WITH_INV,
				  .len = len,
				  .own = walk_statuses(NULL),
				  .takes = true,
				  .signaled = true };

	walk_enter(l, vb_post_recv(l->qp[side], .len = len), &recv);
	walk_enter(l,
		   vb_post_send(l->qp[!side], .len = len,
				.invalidate = window->mr),
		   &send);
	walk_wait(l->walk);
}

void walk_invalidate(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_target *window;
	struct walk_side *side;

	if (!l || !l->side[s->side].windows_count || !walk_calm(l, s->side))
		return;
	side = &l->side[s->side];
	window = &side->windows[s->mr % side->windows_count];
	if (s->by_peer && window->mr->mw_type == IBV_MW_TYPE_2 &&
	    walk_window_hears(l, s->side))
		walk_window_by_peer(l, s->side, window, 1 + w->at % 100);
	else
		walk_window_unbind(l, s->side, window);
	vb_destroy(window->mr);
	*window = side->windows[--side->windows_count];
}

void walk_windows_drop(struct walk_line *l, unsigned side)
{
	struct walk_side *s = &l->side[side];

	l->walk->srqs_unsure |= l->made.srq;
	while (s->windows_count)
		vb_destroy(s->windows[--s->windows_count].mr);
}
