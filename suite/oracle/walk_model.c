// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The books of a walk's pair: what was posted and told; and what each event
 * spreads to the other side. */
#include "suite/oracle/walk_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/verbs_names.h"
#include "suite/oracle/matrix.h"
#include "suite/oracle/walk_inner.h"

#define WALK_FLUSH VERBS_STATUS_BIT(IBV_WC_WR_FLUSH_ERR)

static void walk_list_free(struct walk_list *l, bool owner)
{
	for (uint32_t i = 0; owner && i < l->count; i++)
		free(l->at[i]);
	free(l->at);
	*l = (struct walk_list){ .count = 0 };
}

static bool walk_list_add(struct walk_list *l, struct walk_post *w)
{
	if (l->count == l->room) {
		uint32_t room = l->room ? 2 * l->room : 32;
		struct walk_post **at = realloc(l->at, room * sizeof(*at));

		if (!at)
			return false;
		l->at = at;
		l->room = room;
	}
	l->at[l->count++] = w;
	return true;
}

static void walk_qp_clear(struct walk_qp *q)
{
	const struct walk_qp keep = *q;

	walk_list_free(&q->messages, false);
	walk_list_free(&q->sends, true);
	walk_list_free(&q->recvs, true);
	*q = (struct walk_qp){ .type = keep.type,
			       .state = IBV_QPS_RESET,
			       .gone = keep.gone,
			       .srq = keep.srq,
			       .finite = keep.finite };
}

void walk_pair_init(struct walk_pair *p, enum ibv_qp_type type)
{
	memset(p, 0, sizeof(*p));
	p->qp[0].type = p->qp[1].type = type;
}

void walk_pair_free(struct walk_pair *p)
{
	walk_qp_clear(&p->qp[0]);
	walk_qp_clear(&p->qp[1]);
}

void walk_pair_renew(struct walk_pair *p)
{
	walk_pair_free(p);
}

uint32_t walk_statuses(const char *id)
{
	struct matrix_row row;
	int err;

	if (!id)
		return VERBS_STATUS_BIT(IBV_WC_SUCCESS);
	err = matrix_row(id, &row);
	assert(!err);
	return row.requester.statuses;
}

uint32_t walk_statuses_there(const char *id)
{
	struct matrix_row row;
	int err = matrix_row(id, &row);

	assert(!err);
	return row.responder.statuses;
}

/* Does anything of @q wait for an answer of its peer? */
static bool walk_sends_pending(const struct walk_qp *q)
{
	for (uint32_t i = q->sends.first; i < q->sends.count; i++)
		if (!q->sends.at[i]->done)
			return true;
	return false;
}

static bool walk_deaf(const struct walk_qp *q)
{
	return q->gone || q->state == IBV_QPS_RESET || q->state == IBV_QPS_INIT;
}

static void walk_spread_side(struct walk_pair *p, unsigned side)
{
	struct walk_qp *q = &p->qp[side], *far = &p->qp[!side];

	if (!walk_sends_pending(q))
		return;
	for (uint32_t i = q->sends.first; i < q->sends.count; i++) {
		const struct walk_post *w = q->sends.at[i];

		if (!w->done && (w->remote || walk_meets_badly(w)))
			far->refuses = true;
	}
	/* Told to be in ERR, it asks its peer for nothing more. */
	if (q->type != IBV_QPT_RC || q->told_err)
		return;
	if (walk_deaf(far))
		q->hazard |= walk_statuses("S24");
	if (walk_fails_alone(p, !side))
		q->hazard |= walk_statuses("S24") | walk_statuses("S25");
}

/* What one side is in for makes the other's sends fail, and so on. */
static void walk_spread(struct walk_pair *p)
{
	for (unsigned round = 0; round < 2; round++) {
		walk_spread_side(p, 0);
		walk_spread_side(p, 1);
	}
}

struct walk_post *walk_posted(struct walk_pair *p, const struct walk_post *post)
{
	struct walk_qp *q = &p->qp[post->side], *far = &p->qp[!post->side];
	struct walk_post *w = malloc(sizeof(*w));

	if (!w)
		return NULL;
	*w = *post;
	w->pair = p;
	w->index = w->send ? q->sends.count : q->recvs.count;
	w->message = q->messages.count;
	w->after_err = q->told_err;
	w->late = w->send && w->takes &&
		  (far->srq || w->message >= far->recvs.count);
	if (!walk_list_add(w->send ? &q->sends : &q->recvs, w)) {
		free(w);
		return NULL;
	}
	if (w->send && w->takes && !walk_list_add(&q->messages, w))
		return NULL;
	walk_spread(p);
	return w;
}

/* The other side's books are about to go: what is known of @l is kept. */
static void walk_freeze(struct walk_list *l)
{
	for (uint32_t i = l->first; i < l->count; i++) {
		struct walk_post *w = l->at[i];

		if (w->done || w->blind)
			continue;
		w->own = walk_accept(w) & ~WALK_FLUSH;
		w->blind = true;
	}
}

static void walk_forget(struct walk_pair *p, unsigned side)
{
	struct walk_qp *far = &p->qp[!side];

	walk_freeze(&far->sends);
	walk_freeze(&far->recvs);
	far->blind = true;
	walk_qp_clear(&p->qp[side]);
	p->qp[side].split = true;
}

void walk_told(struct walk_pair *p, unsigned side, enum ibv_qp_state state)
{
	struct walk_qp *q = &p->qp[side];

	if (state == IBV_QPS_RESET)
		walk_forget(p, side);
	q->state = state;
	if (state == IBV_QPS_ERR)
		q->told_err = true;
	walk_spread(p);
}

void walk_destroyed(struct walk_pair *p, unsigned side)
{
	walk_forget(p, side);
	p->qp[side].gone = true;
	walk_spread(p);
}

void walk_recovered(struct walk_pair *p, unsigned side)
{
	struct walk_qp *q = &p->qp[side];

	assert(q->type != IBV_QPT_RC && !q->told_err);
	assert(walk_side_idle(p, side));
	q->state = IBV_QPS_RTS;
	q->may_err = q->failed = false;
}

static void walk_list_done(struct walk_list *l, uint32_t upto)
{
	for (uint32_t i = l->first; i < upto; i++)
		l->at[i]->done = true;
	while (l->first < l->count && l->at[l->first]->done)
		l->first++;
}

void walk_completed(struct walk_post *w, enum ibv_wc_status status)
{
	struct walk_qp *q = &w->pair->qp[w->side];

	w->done = true;
	/* Those before a send have come to their end with it. */
	walk_list_done(w->send ? &q->sends : &q->recvs,
		       w->send ? w->index + 1 : 0);
	if (status == IBV_WC_SUCCESS)
		return;
	/* UC and UD live on with a receive that failed, or may. */
	q->may_err |= !q->refuses || (w->send && status != IBV_WC_WR_FLUSH_ERR);
	if (w->send || q->type == IBV_QPT_RC || status == IBV_WC_WR_FLUSH_ERR)
		q->failed = true;
	walk_spread(w->pair);
}
