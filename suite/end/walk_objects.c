// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Steps of a walk about regions, completion queues and what there is beside. */
#include "base/clock.h"
#include "suite/end/walk.h"

/* --- Regions ------------------------------------------------------------- */

static unsigned walk_access(struct vb_object *pd, enum walk_rights rights)
{
	const unsigned access[] = {
		[WALK_RIGHTS_ALL] =
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			IBV_ACCESS_REMOTE_READ | vb_atomic_access(pd),
		[WALK_RIGHTS_READ] = IBV_ACCESS_REMOTE_READ,
		[WALK_RIGHTS_WRITE] = IBV_ACCESS_LOCAL_WRITE |
				      IBV_ACCESS_REMOTE_WRITE,
		[WALK_RIGHTS_NONE] = IBV_ACCESS_LOCAL_WRITE,
	};
	const unsigned windows = IBV_DEVICE_MEM_WINDOW |
				 IBV_DEVICE_MEM_WINDOW_TYPE_2A |
				 IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	bool binds = vb_device_attr(pd->end)->device_cap_flags & windows &&
		     rights == WALK_RIGHTS_ALL;

	return access[rights] | (binds ? IBV_ACCESS_MW_BIND : 0u);
}

void walk_target_add(struct walk_line *l, unsigned side, uint32_t len,
		     enum walk_rights rights)
{
	struct vb_object *pd = vb_end_pd(walk_end(l->walk, side));
	struct walk_side *s = &l->side[side];
	struct walk_target *target = &s->targets[s->targets_count++];
	unsigned access = walk_access(pd, rights);

	len = len ? len : 1;
	*target = (struct walk_target){
		.mr = vb_create_mr(pd, .len = len, .access = VB_SET(access)),
		.access = access,
		.len = len,
	};
}

void walk_reg_mr(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);

	if (!l || l->side[s->side].targets_count == WALK_TARGETS)
		return;
	walk_target_add(l, s->side, s->len, (enum walk_rights)s->rights);
}

/* Other rights for the same memory, while nobody uses any; where the device
 * has no such thing, nothing changes. */
void walk_rereg_mr(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_target *target;
	unsigned access;

	if (!l || !walk_quiet(&l->model) || !l->side[s->side].targets_count ||
	    l->side[s->side].windows_count)
		return;
	target = &l->side[s->side]
			  .targets[s->mr % l->side[s->side].targets_count];
	access = walk_access(vb_end_pd(walk_end(w, s->side)),
			     (enum walk_rights)s->rights);
	if (vb_try_rereg_mr(target->mr, NULL, .access = VB_SET(access)))
		target->access = access;
}

void walk_dereg_mr(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_side *side;
	uint32_t i;

	/* Under traffic, or under a window, it may be missed or not: cases/mr
	 * and cases/mw have that. */
	if (!l || !walk_quiet(&l->model) ||
	    l->side[s->side].targets_count < 2 ||
	    l->side[s->side].windows_count)
		return;
	side = &l->side[s->side];
	i = s->mr % side->targets_count;
	vb_destroy(side->targets[i].mr);
	side->targets[i] = side->targets[--side->targets_count];
}

/* --- Completion queues --------------------------------------------------- */

void walk_notify(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_side *side;

	if (!l || !l->side[s->side].cq->manual)
		return;
	side = &l->side[s->side];
	walk_events(l);
	/* What is there already raises nothing. */
	ends_progress(w->t->ends);
	vb_arm(side->cq, s->solicited_only);
	/* Armed for all stays armed for all. */
	side->solicited_only = s->solicited_only &&
			       (!side->armed || side->solicited_only);
	side->armed = true;
	side->events++;
	side->armed_ns = clock_now_ns();
}

void walk_events(struct walk_line *l)
{
	for (unsigned i = 0; i < 2; i++) {
		struct walk_side *side = &l->side[i];

		if (!side->owed)
			continue;
		/* What completes while we wait asks for no other one. */
		side->armed = false;
		ends_cq_event(side->cq, l->walk->slack_ms);
		side->owed = false;
		side->events--;
	}
}

void walk_resize(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	uint32_t least;

	if (!l)
		return;
	least = 8 * l->depth + 2 * WALK_SRQ_DEPTH + 64;
	(void)vb_try_resize_cq(l->side[s->side].cq, least + s->cqe);
}

/* Nothing takes receives of an SRQ, or has but for what was told of. */
static bool walk_srqs_rest(const struct walk *w)
{
	for (uint32_t i = 0; i < w->count && !w->srqs_unsure; i++) {
		const struct walk_pair *p = &w->lines[i]->model;

		if (w->lines[i]->made.srq &&
		    (!walk_idle(p) || walk_uncertain(p, 0) ||
		     walk_uncertain(p, 1) || p->qp[0].told_err ||
		     p->qp[1].told_err))
			return false;
	}
	return !w->srqs_unsure;
}

/* Only then is it known how many there are. */
void walk_limit(struct walk *w, const struct walk_step *s)
{
	struct vb_object *srq = w->srq[s->side];
	uint32_t left;

	if (!srq || !walk_srqs_rest(w))
		return;
	ends_progress(w->t->ends);
	/* It fired between two looks: receives were posted since. */
	if (srq->limit_event.came == srq->limits_armed) {
		srq->limit_event.expected = srq->limit_event.came;
		w->limit[s->side] = 0;
	}
	left = vb_srq_left(srq);
	if (w->limit[s->side] || !left)
		return;
	w->limit[s->side] = 1 + s->which % left;
	vb_arm_srq(srq, w->limit[s->side]);
}

static bool walk_limit_came(void *arg)
{
	const struct vb_object *srq = arg;

	return srq->limit_event.came > srq->limit_event.expected;
}

void walk_limits(struct walk *w)
{
	for (unsigned side = 0; side < 2; side++) {
		if (!w->limit[side] ||
		    vb_srq_left(w->srq[side]) >= w->limit[side])
			continue;
		vb_check(w->t, VB_FIND_WRONG_EVENT,
			 ends_wait(w->t->ends, vb_deadline(w->t, w->slack_ms),
				   walk_limit_came, w->srq[side]),
			 "end %s: the limit event of the SRQ has not come; %u "
			 "receives are left, its limit was %u",
			 ends_side(w->srq[side]->end),
			 vb_srq_left(w->srq[side]), w->limit[side]);
		vb_expect_srq_limit(w->srq[side]);
		w->limit[side] = 0;
	}
}

void walk_busy_cq(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);

	if (l && !l->model.qp[s->side].gone)
		vb_destroy_refused(l->side[s->side].cq);
}

/* A queue pair or a region of that side is there. */
static bool walk_pd_is_used(const struct walk *w, unsigned side)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct walk_line *l = w->lines[i];

		if (!l->model.qp[side].gone || l->side[side].targets_count)
			return true;
	}
	return false;
}

void walk_busy_pd(struct walk *w, const struct walk_step *s)
{
	if (walk_pd_is_used(w, s->side))
		vb_destroy_refused(vb_end_pd(walk_end(w, s->side)));
}

/* --- Others -------------------------------------------------------------- */

static void walk_churn_qp(struct vb_end *e)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = 3, .path = VB_PATH_SAID);

	vb_modify(qp, IBV_QPS_INIT);
	vb_destroy_qp(qp);
}

static void walk_churn_beyond(struct vb_end *e)
{
	const struct ibv_device_attr *d = vb_device_attr(e);

	if (d->max_cqe < INT32_MAX)
		vb_create_cq_refused(e, .cqe = VB_SET(d->max_cqe + 1));
	if (d->max_qp_wr < INT32_MAX)
		vb_create_qp_refused(e, .send_depth = VB_SET(d->max_qp_wr + 1),
				     .recv_depth = VB_SET(1), .cqe = VB_SET(4),
				     .path = VB_PATH_SAID);
}

void walk_churn(struct walk *w, const struct walk_step *s)
{
	struct vb_end *e = walk_end(w, s->side);

	switch (s->which % 5) {
	case 0:
		vb_destroy(vb_create_pd(e));
		break;
	case 1:
		vb_destroy(vb_create_cq(e, .cqe = VB_SET(1 + s->which)));
		break;
	case 2:
		vb_destroy(vb_create_mr(vb_end_pd(e), .len = 100));
		break;
	case 3:
		walk_churn_qp(e);
		break;
	default:
		walk_churn_beyond(e);
	}
}
