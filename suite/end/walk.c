// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A walk: its steps one after the other, what must complete waited for, and
 * each completion held against the model.
 */
#include "suite/end/walk.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/oracle/recorder.h"

enum { WALK_IDLE_MS = 2 };

struct vb_end *walk_end(struct walk *w, unsigned side)
{
	return side ? vb_b(w->t) : vb_a(w->t);
}

struct walk_line *walk_line_of(struct walk *w, const struct walk_step *s)
{
	return w->count ? w->lines[s->pair % w->count] : NULL;
}

/* --- Completions --------------------------------------------------------- */

static void walk_complain(const struct vb_wr *wr, uint32_t accept)
{
	char text[ENDS_TEXT], set[320];
	struct complaint c;

	complaint_set(&c, VB_FIND_WRONG_STATUS, wr->wr_id,
		      "%s completed with %s (%d, vendor_err 0x%x), may only "
		      "with %s",
		      ends_wr_text(wr, text, sizeof(text)),
		      verbs_wc_status_name(wr->wc.status), (int)wr->wc.status,
		      wr->wc.vendor_err,
		      verbs_status_set_text(accept, set, sizeof(set)));
	ends_complain(wr->end->ends, &c);
}

/* A receive of an SRQ: it is the queue pair that took it that can fail. */
static void walk_srq_done(struct vb_wr *wr)
{
	struct walk *w = wr->walker;

	for (uint32_t i = 0; i < w->count; i++) {
		struct walk_line *l = w->lines[i];
		unsigned side = wr->end->side;

		if (l->qp[side] != wr->qp)
			continue;
		if (wr->wc.status != IBV_WC_SUCCESS &&
		    !l->model.qp[side].told_err &&
		    !walk_uncertain(&l->model, side))
			walk_complain(wr, LEDGER_ACCEPT_OK);
	}
}

void ends_walk_done(struct vb_wr *wr)
{
	struct walk_post *post = wr->walk;
	enum ibv_wc_status status = wr->wc.status;
	struct walk_line *l;
	struct walk_side *side;
	uint32_t accept;

	wr->judged = true;
	if (!post) {
		walk_srq_done(wr);
		return;
	}
	accept = walk_accept(post);
	if ((unsigned)status >= 32 || !(accept & VERBS_STATUS_BIT(status)))
		walk_complain(wr, accept);
	vb_checked(ends_test(wr->qp));
	walk_completed(post, status);
	l = container_of(post->pair, struct walk_line, model);
	side = &l->side[wr->end->side];
	if (side->armed && !side->solicited_only &&
	    wr->posted_ns > side->armed_ns)
		side->owed = true;
}

/* --- Waiting ------------------------------------------------------------- */

static const struct walk_post *walk_any_due(const struct walk *w)
{
	const struct walk_post *post = NULL;

	for (uint32_t i = 0; i < w->count && !post; i++)
		post = walk_first_due(&w->lines[i]->model);
	return post;
}

static bool walk_none_due(void *arg)
{
	return !walk_any_due(arg);
}

/* Timers of a pair are short, see walk_pair.c. */
static void walk_wait_due(struct walk *w)
{
	const struct walk_post *post;
	const struct vb_wr *wr;
	char text[ENDS_TEXT];

	if (ends_wait(w->t->ends, vb_deadline(w->t, w->slack_ms), walk_none_due,
		      w))
		return;
	post = walk_any_due(w);
	if (!post)
		return;
	wr = post->user;
	((struct ends *)w->t->ends)->focus = wr->qp;
	vb_fail(w->t, VB_FIND_LOST,
		"%s has not completed %llu ms after its post; its queue pair "
		"is in %s",
		ends_wr_text(wr, text, sizeof(text)),
		(clock_now_ns() - wr->posted_ns) / NS_PER_MS,
		verbs_qp_state_name(vb_state(wr->qp)));
}

/* What the peer has written is there, when all is known of it. */
static void walk_memory(struct walk_line *l)
{
	bool glance = l->qp[0]->type == IBV_QPT_UC;

	if (!walk_idle(&l->model))
		return;
	for (unsigned side = 0; side < 2; side++) {
		struct walk_side *s = &l->side[side];

		if (walk_uncertain(&l->model, !side))
			continue;
		/* What UC has lost is not waited for. */
		for (uint32_t i = 0; i < s->targets_count; i++)
			if (!glance || !ends_memory_glance(s->targets[i].mr))
				vb_expect_memory(s->targets[i].mr);
	}
}

void walk_wait(struct walk *w)
{
	walk_wait_due(w);
	for (uint32_t i = 0; i < w->count; i++) {
		walk_memory(w->lines[i]);
		walk_events(w->lines[i]);
	}
	walk_limits(w);
}

/* --- Steps --------------------------------------------------------------- */

/* Errors raise events, and devices differ in which. */
static void walk_allow(struct walk_line *l)
{
	for (unsigned side = 0; side < 2; side++) {
		if (l->told[side] || l->model.qp[side].gone ||
		    (!l->model.qp[side].told_err &&
		     !walk_uncertain(&l->model, side)))
			continue;
		l->told[side] = true;
		vb_allow_event(l->qp[side], IBV_EVENT_QP_FATAL);
		vb_allow_event(l->qp[side], IBV_EVENT_QP_REQ_ERR);
		vb_allow_event(l->qp[side], IBV_EVENT_QP_ACCESS_ERR);
		vb_allow_event(l->qp[side], IBV_EVENT_QP_LAST_WQE_REACHED);
	}
}

static void walk_poll(struct walk *w, const struct walk_step *s)
{
	ends_progress(w->t->ends);
}

static bool walk_all_idle(void *arg)
{
	const struct walk *w = arg;

	for (uint32_t i = 0; i < w->count; i++)
		if (!walk_idle(&w->lines[i]->model))
			return false;
	return true;
}

/* What need not complete is given a little time all the same. */
static void walk_wait_step(struct walk *w, const struct walk_step *s)
{
	walk_wait(w);
	ends_wait(w->t->ends, vb_deadline(w->t, WALK_IDLE_MS), walk_all_idle,
		  w);
}

static void (*const walk_steps[WALK_KINDS])(struct walk *w,
					    const struct walk_step *s) = {
	[WALK_CONNECT] = walk_connect,	 [WALK_RECONNECT] = walk_reconnect,
	[WALK_MODIFY] = walk_modify,	 [WALK_QUERY] = walk_query,
	[WALK_DESTROY] = walk_destroy,	 [WALK_RECV] = walk_recv,
	[WALK_SEND] = walk_send,	 [WALK_POLL] = walk_poll,
	[WALK_WAIT] = walk_wait_step,	 [WALK_REG_MR] = walk_reg_mr,
	[WALK_REREG_MR] = walk_rereg_mr, [WALK_DEREG_MR] = walk_dereg_mr,
	[WALK_NOTIFY] = walk_notify,	 [WALK_BIND] = walk_bind,
	[WALK_RESIZE] = walk_resize,	 [WALK_INVALIDATE] = walk_invalidate,
	[WALK_BUSY_PD] = walk_busy_pd,	 [WALK_BUSY_CQ] = walk_busy_cq,
	[WALK_CHURN] = walk_churn,	 [WALK_LIMIT] = walk_limit,
};

static void walk_record(struct walk *w, const struct walk_step *s)
{
	struct recorder_record r = { .call = RECORDER_STEP,
				     .end = UINT8_MAX,
				     .args = { w->at + 1 } };
	struct strbuf text = STRBUF_INIT;

	walk_step_print(s, &text);
	snprintf(r.text, sizeof(r.text), "%s", strbuf_text(&text));
	strbuf_free(&text);
	recorder_write(((struct ends *)w->t->ends)->recorder, &r);
}

/* A region that was registered once, whose keys must open nothing. */
static void walk_make_dead(struct walk *w, unsigned side)
{
	w->dead[side] = vb_create_mr(vb_end_pd(walk_end(w, side)),
				     .len = WALK_DEAD_LEN,
				     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
						      IBV_ACCESS_REMOTE_WRITE |
						      IBV_ACCESS_REMOTE_READ));
	vb_destroy(w->dead[side]);
}

void walk_take(struct walk *w)
{
	for (unsigned side = 0; side < 2; side++)
		walk_make_dead(w, side);
	for (w->at = 0; w->at < w->script->count; w->at++) {
		const struct walk_step *s = &w->script->steps[w->at];

		atomic_store(w->shown, w->at);
		walk_record(w, s);
		walk_steps[s->kind](w, s);
		for (uint32_t i = 0; i < w->count; i++)
			walk_allow(w->lines[i]);
	}
	atomic_store(w->shown, w->at);
	walk_wait(w);
	while (w->count)
		walk_line_close(w->lines[0]);
}
