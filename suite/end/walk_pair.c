// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Steps of a walk about queue pairs and their states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/verbs_names.h"
#include "suite/end/walk.h"
#include "suite/oracle/matrix.h"

/* Short timers: a peer that does not answer is part of many walks. */
enum {
	WALK_RNR_TIMER = 1, /* 0.01 ms */
	WALK_TIMEOUT = 12,  /* 17 ms */
	WALK_RETRY = 6,	    /* 7 has no end on some devices */
	WALK_INLINE = 64,
	WALK_CQE_SPARE = 64,
};

static unsigned walk_rnr(const struct walk_line *l)
{
	static const unsigned retries[] = { 7, 0, 1, 3 };

	return retries[l->made.rnr_retry];
}

static struct vb_attr_args walk_attr(const struct walk_line *l,
				     enum ibv_qp_state from,
				     enum ibv_qp_state to)
{
	struct vb_attr_args args = { 0 };

	if (l->qp[0]->type != IBV_QPT_RC)
		return args;
	if (to == IBV_QPS_RTR && from == IBV_QPS_INIT)
		args.min_rnr_timer = VB_SET(WALK_RNR_TIMER);
	if (to == IBV_QPS_RTS && from == IBV_QPS_RTR) {
		args.timeout = VB_SET(WALK_TIMEOUT);
		args.retry = VB_SET(WALK_RETRY);
		args.rnr_retry = VB_SET(walk_rnr(l));
	}
	return args;
}

static void walk_told_both(struct walk_line *l, unsigned side,
			   enum ibv_qp_state to)
{
	const struct vb_attr_args args =
		walk_attr(l, l->model.qp[side].state, to);

	vb_modify_args(l->qp[side], to, &args);
	walk_told(&l->model, side, to);
	if (to == IBV_QPS_RESET)
		walk_windows_drop(l, side);
}

/* --- Making one ---------------------------------------------------------- */

static struct vb_object *walk_srq(struct walk *w, unsigned side)
{
	if (!w->srq[side])
		w->srq[side] = vb_create_srq(vb_end_pd(walk_end(w, side)),
					     .depth = VB_SET(WALK_SRQ_DEPTH),
					     .sges = 4);
	return w->srq[side];
}

static struct vb_object *walk_cq(struct walk_line *l, unsigned side)
{
	struct walk *w = l->walk;
	struct vb_end *e = walk_end(w, side);
	struct vb_cq_args args = {
		.cqe = VB_SET(8 * l->depth + 2 * WALK_SRQ_DEPTH +
			      WALK_CQE_SPARE),
		.extended = l->made.extended,
	};

	/* Waits that block arm CQs themselves. */
	if (!e->channel) {
		if (!w->channel[side])
			w->channel[side] = vb_create_channel(e);
		args.channel = w->channel[side];
		args.manual = true;
	}
	return vb_create_cq_args(e, &args);
}

static void walk_make_side(struct walk_line *l, unsigned side,
			   enum ibv_qp_type type)
{
	struct walk *w = l->walk;
	struct vb_object *cq = walk_cq(l, side);
	struct vb_qp_args args = {
		.type = type,
		.depth = l->depth,
		.sges = l->sges,
		.inline_max = WALK_INLINE,
		.sig_all = l->made.sig_all,
		.send_cq = cq,
		.recv_cq = cq,
		.path = VB_PATH_SAID | (l->made.builder ? VB_PATH_BUILDER : 0) |
			(l->made.extended ? VB_PATH_EXTENDED : 0),
	};

	if (l->made.srq)
		args.srq = walk_srq(w, side);
	l->side[side].cq = cq;
	l->qp[side] = vb_create_qp_args(walk_end(w, side), &args);
	l->model.qp[side].srq = l->made.srq;
	l->model.qp[side].finite = walk_rnr(l) < 7;
	vb_allow_event(l->qp[side], IBV_EVENT_SQ_DRAINED);
	if (type != IBV_QPT_UD)
		walk_target_add(l, side, WALK_LEN_MAX, WALK_RIGHTS_ALL);
}

/* Both, state by state, as far as the step says. */
static void walk_bring(struct walk_line *l)
{
	static const enum ibv_qp_state last[] = {
		[WALK_TO_RTS] = IBV_QPS_RTS,
		[WALK_TO_RTR] = IBV_QPS_RTR,
		[WALK_TO_INIT] = IBV_QPS_INIT,
		[WALK_TO_RESET] = IBV_QPS_RESET,
	};

	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= last[l->made.up_to]; s++)
		for (unsigned side = 0; side < 2; side++)
			walk_told_both(l, side, s);
}

void walk_connect(struct walk *w, const struct walk_step *s)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC,
						  IBV_QPT_UD };
	struct walk_line *l;
	unsigned lack;

	if (w->count == WALK_PAIRS)
		walk_line_close(w->lines[0]);
	l = calloc(1, sizeof(*l));
	if (!l)
		vb_broken(w->t, "no memory for a pair");
	l->walk = w;
	l->made = *s;
	lack = ends_paths_lack(w->t, types[s->type]);
	/* A UD one may have one too, but loses what it has no receive for. */
	l->made.srq &= s->type == 0 && !(lack & VB_PATH_SRQ);
	l->made.extended &= !(lack & VB_PATH_EXTENDED);
	l->made.builder &= !(lack & VB_PATH_BUILDER);
	l->depth = s->depth ? s->depth : WALK_DEPTH;
	l->sges = s->sges ? s->sges : 1;
	walk_pair_init(&l->model, types[s->type]);
	for (unsigned side = 0; side < 2; side++)
		walk_make_side(l, side, types[s->type]);
	vb_introduce(l->qp[0], l->qp[1]);
	w->lines[w->count++] = l;
	walk_bring(l);
}

/* --- Its end ------------------------------------------------------------- */

static void walk_side_close(struct walk_line *l, unsigned side)
{
	struct walk_side *s = &l->side[side];

	if (!l->model.qp[side].gone)
		vb_destroy_qp(l->qp[side]);
	walk_windows_drop(l, side);
	for (uint32_t i = 0; i < s->targets_count; i++)
		vb_destroy(s->targets[i].mr);
	if (s->cq->manual && !s->events)
		vb_expect_no_cq_event(s->cq, 0);
	vb_destroy(s->cq);
}

void walk_line_close(struct walk_line *l)
{
	struct walk *w = l->walk;
	uint32_t i;

	for (unsigned side = 0; side < 2; side++)
		if (!l->model.qp[side].gone &&
		    l->model.qp[side].state != IBV_QPS_RESET)
			walk_told_both(l, side, IBV_QPS_ERR);
	walk_wait(w);
	for (unsigned side = 0; side < 2; side++)
		walk_side_close(l, side);
	for (i = 0; w->lines[i] != l; i++)
		;
	memmove(&w->lines[i], &w->lines[i + 1],
		(w->count - i - 1) * sizeof(struct walk_line *));
	w->count--;
	walk_pair_free(&l->model);
	free(l);
}

void walk_reconnect(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_step again;

	if (!l)
		return;
	if (l->model.qp[0].gone || l->model.qp[1].gone) {
		walk_line_close(l);
		return;
	}
	/* UC and UD take what is late of an old life for one of the new. */
	if (l->qp[0]->type != IBV_QPT_RC) {
		again = l->made;
		again.up_to = WALK_TO_RTS;
		walk_line_close(l);
		walk_connect(w, &again);
		return;
	}
	for (unsigned side = 0; side < 2; side++)
		walk_told_both(l, side, IBV_QPS_RESET);
	walk_pair_renew(&l->model);
	vb_introduce(l->qp[0], l->qp[1]);
	l->made.up_to = WALK_TO_RTS;
	walk_bring(l);
}

void walk_destroy(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);

	if (!l || l->model.qp[s->side].gone)
		return;
	vb_destroy_qp(l->qp[s->side]);
	walk_destroyed(&l->model, s->side);
	walk_windows_drop(l, s->side);
}

/* --- States -------------------------------------------------------------- */

/* The @n-th bit of @mask, modulo how many there are. */
static unsigned walk_bit(unsigned mask, uint32_t n)
{
	n %= (uint32_t)__builtin_popcount(mask);
	while (n--)
		mask &= mask - 1;
	return mask & -mask;
}

static void walk_refused(struct walk_line *l, unsigned side,
			 enum ibv_qp_state to, const struct vb_attr_args *args)
{
	/* That nothing has changed can be seen only while nothing moves. */
	if (walk_quiet(&l->model) && !walk_uncertain(&l->model, side) &&
	    !walk_uncertain(&l->model, !side))
		vb_modify_refused_args(l->qp[side], to, args);
}

static void walk_modify_wrong(struct walk_line *l, const struct walk_step *s,
			      enum ibv_qp_state from)
{
	struct vb_qp *qp = l->qp[s->side];
	const struct ibv_device_attr *device = vb_device_attr(qp->end);
	struct vb_transition m =
		vb_transition(qp->type, from, (enum ibv_qp_state)s->to);
	struct vb_attr_args args = walk_attr(l, from, (enum ibv_qp_state)s->to);

	m.required &= ~(unsigned)IBV_QP_STATE;
	m.foreign &= ~(unsigned)IBV_QP_STATE;
	if (!m.legal)
		return;
	if (s->attr_wrong == WALK_ATTR_MISSING && m.required)
		args.omit = walk_bit(m.required, s->which);
	else if (s->attr_wrong == WALK_ATTR_FOREIGN && m.foreign)
		args.add = walk_bit(m.foreign, s->which);
	else if (s->attr_wrong == WALK_ATTR_VALUE && from == IBV_QPS_RESET &&
		 s->to == IBV_QPS_INIT)
		args.port =
			VB_SET(s->which & 1 ? device->phys_port_cnt + 1u : 0);
	else if (s->attr_wrong == WALK_ATTR_VALUE && from == IBV_QPS_INIT &&
		 s->to == IBV_QPS_RTR && qp->type != IBV_QPT_UD)
		args.mtu = VB_SET(IBV_MTU_4096 + 1);
	else if (s->attr_wrong == WALK_ATTR_VALUE && from == IBV_QPS_RTR &&
		 s->to == IBV_QPS_RTS && qp->type == IBV_QPT_RC)
		args.timeout = VB_SET(32);
	else
		return;
	walk_refused(l, s->side, (enum ibv_qp_state)s->to, &args);
}

/* A state that it came to by itself, if it has. */
static void walk_look(struct walk_line *l, unsigned side)
{
	if (walk_uncertain(&l->model, side) &&
	    vb_state(l->qp[side]) == IBV_QPS_ERR)
		walk_told(&l->model, side, IBV_QPS_ERR);
}

static void walk_modify_right(struct walk_line *l, const struct walk_step *s,
			      enum ibv_qp_state from)
{
	struct walk_qp *q = &l->model.qp[s->side];
	struct vb_qp *qp = l->qp[s->side];
	enum ibv_qp_state to = (enum ibv_qp_state)s->to;
	struct vb_attr_args args = walk_attr(l, from, to);
	bool choice = from == IBV_QPS_SQD || to == IBV_QPS_SQD;

	if (!vb_transition(qp->type, from, to).legal) {
		/* Devices are not agreed about this one. */
		if (from != IBV_QPS_RESET || to != IBV_QPS_ERR)
			walk_refused(l, s->side, to, &args);
		return;
	}
	/* Its peer does not know of this life. */
	if (q->split && (to == IBV_QPS_RTR || to == IBV_QPS_RTS))
		return;
	if (from == IBV_QPS_RTS && to == from && qp->type == IBV_QPT_RC)
		args.min_rnr_timer = VB_SET(WALK_RNR_TIMER + s->which % 4);
	if (!choice || to == IBV_QPS_ERR || to == IBV_QPS_RESET)
		vb_modify_args(qp, to, &args);
	else if (!walk_quiet(&l->model) || !vb_try_modify_args(qp, to, &args))
		return;
	walk_told(&l->model, s->side, to);
	if (to == IBV_QPS_RESET)
		walk_windows_drop(l, s->side);
}

/* UC and UD come to SQE by a send that failed, and go on from there. */
static bool walk_in_sqe(struct walk_line *l, unsigned side)
{
	if (l->qp[side]->type == IBV_QPT_RC || !walk_uncertain(&l->model, side))
		return false;
	ends_progress(l->walk->t->ends);
	return walk_side_idle(&l->model, side) &&
	       vb_state(l->qp[side]) == IBV_QPS_SQE;
}

void walk_modify(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_qp *q;

	if (!l || l->model.qp[s->side].gone)
		return;
	q = &l->model.qp[s->side];
	walk_look(l, s->side);
	if (s->attr_wrong) {
		walk_modify_wrong(l, s, q->state);
	} else if (s->to == IBV_QPS_RTS && walk_in_sqe(l, s->side)) {
		vb_modify(l->qp[s->side], IBV_QPS_RTS);
		walk_recovered(&l->model, s->side);
	} else if (!walk_uncertain(&l->model, s->side) ||
		   s->to == IBV_QPS_RESET || s->to == IBV_QPS_ERR) {
		walk_modify_right(l, s, q->state);
	}
}

struct walk_look {
	struct walk_line *l;
	unsigned side;
};

static bool walk_in_state(void *arg)
{
	const struct walk_look *k = arg;

	return walk_states(&k->l->model, k->side, true) &
	       MATRIX_STATE_BIT(vb_state(k->l->qp[k->side]));
}

static const char *walk_states_text(unsigned states, char *text, size_t room)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned s = IBV_QPS_RESET; s <= IBV_QPS_ERR; s++)
		if (states & MATRIX_STATE_BIT(s) && len < room)
			len += (size_t)snprintf(
				text + len, room - len, "%s%s",
				len ? " or " : "",
				verbs_qp_state_name((enum ibv_qp_state)s));
	return text;
}

void walk_query(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	struct walk_look look = { .l = l, .side = s->side };
	struct vb_qp *qp;
	char text[64];
	bool right;

	if (!l || l->model.qp[s->side].gone)
		return;
	qp = l->qp[s->side];
	/* What has been polled by now is in the books. */
	ends_progress(w->t->ends);
	right = ends_wait(w->t->ends, vb_deadline(w->t, w->slack_ms),
			  walk_in_state, &look);
	vb_check(w->t, VB_FIND_WRONG_STATE, right,
		 "end %s qp 0x%x: its state is %s, may only be %s",
		 ends_side(qp->end), qp->qpn, verbs_qp_state_name(qp->state),
		 walk_states_text(walk_states(&l->model, s->side, true), text,
				  sizeof(text)));
	walk_look(l, s->side);
	if (!walk_uncertain(&l->model, s->side) &&
	    l->model.qp[s->side].state != IBV_QPS_RESET &&
	    l->model.qp[s->side].state != IBV_QPS_ERR)
		vb_expect_attributes(qp);
}
