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

	if (!side->targets_count || side->windows_count == WALK_WINDOWS)
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

void walk_bind(struct walk *w, const struct walk_step *s)
{
	const unsigned access = IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_READ;
	struct walk_line *l = walk_line_of(w, s);
	struct walk_target *base, *window;
	struct vb_object *mw;
	uint32_t room, offset;

	if (!l || !walk_calm(l, s->side))
		return;
	base = walk_window_base(l, s);
	if (!base)
		return;
	mw = vb_try_create_mw(vb_end_pd(walk_end(w, s->side)),
			      s->window ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1);
	if (!mw)
		return;
	/* The words of atomics stay outside; those that are denied are words
	 * all the same. */
	room = base->len - WALK_WORDS;
	offset = s->offset % room & ~7u;
	window = &l->side[s->side].windows[l->side[s->side].windows_count++];
	*window = (struct walk_target){
		.mr = mw,
		.access = access,
		.len = 1 + s->len % (room - offset),
	};
	walk_window_enter(l, s->side,
			  vb_bind_mw(l->qp[s->side], mw, .mr = base->mr,
				     .offset = offset, .len = window->len,
				     .access = access),
			  IBV_WR_BIND_MW);
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
	if (window->mr->mw_type == IBV_MW_TYPE_2)
		walk_window_enter(l, s->side,
				  vb_post_local_inv(l->qp[s->side],
						    .invalidate = window->mr),
				  IBV_WR_LOCAL_INV);
	vb_destroy(window->mr);
	*window = side->windows[--side->windows_count];
}

void walk_windows_drop(struct walk_line *l, unsigned side)
{
	struct walk_side *s = &l->side[side];

	while (s->windows_count)
		vb_destroy(s->windows[--s->windows_count].mr);
}
