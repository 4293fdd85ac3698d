// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the model of a walk's pair accepts, and what it waits for. */
#include "base/verbs_names.h"
#include "suite/oracle/matrix.h"
#include "suite/oracle/walk_inner.h"

#define WALK_OK	   VERBS_STATUS_BIT(IBV_WC_SUCCESS)
#define WALK_FLUSH VERBS_STATUS_BIT(IBV_WC_WR_FLUSH_ERR)
#define WALK_RNR   VERBS_STATUS_BIT(IBV_WC_RNR_RETRY_EXC_ERR)

static const struct walk_qp *walk_near(const struct walk_post *w)
{
	return &w->pair->qp[w->side];
}

static const struct walk_qp *walk_far(const struct walk_post *w)
{
	return &w->pair->qp[!w->side];
}

/* A message and its receive are known to belong together. */
static bool walk_paired(const struct walk_post *w)
{
	return walk_near(w)->type == IBV_QPT_RC && !w->blind;
}

static bool walk_can_succeed(const struct walk_post *w)
{
	return w->own & WALK_OK;
}

/* What comes of @send in @recv: for the one or the other. */
static uint32_t walk_meeting(const struct walk_post *send,
			     const struct walk_post *recv, bool there)
{
	uint32_t set = 0;

	/* A WRITE leaves the buffers alone. */
	if (send->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		return WALK_OK;
	if (send->len > recv->len)
		set |= there ? walk_statuses_there("S02")
			     : walk_statuses("S02");
	if (recv->dead)
		set |= there ? walk_statuses_there("S05")
			     : walk_statuses("S05");
	/* Memory of which nothing is used may or may not be looked at. */
	if (!set || (recv->dead && !send->len))
		set |= WALK_OK;
	return set;
}

/* The receive of @w, once it has been posted; or NULL. */
static const struct walk_post *walk_recv_of(const struct walk_post *w)
{
	const struct walk_list *recvs = &walk_far(w)->recvs;

	return w->message < recvs->count ? recvs->at[w->message] : NULL;
}

static const struct walk_post *walk_send_of(const struct walk_post *w)
{
	const struct walk_list *messages = &walk_far(w)->messages;

	return w->index < messages->count ? messages->at[w->index] : NULL;
}

bool walk_meets_badly(const struct walk_post *w)
{
	const struct walk_post *recv;

	if (!w->takes || !walk_paired(w) || walk_far(w)->srq ||
	    !walk_can_succeed(w))
		return false;
	recv = walk_recv_of(w);
	return recv && walk_meeting(w, recv, true) != WALK_OK;
}

/* Besides flushes. */
static uint32_t walk_accept_send(const struct walk_post *w)
{
	const struct walk_qp *q = walk_near(w), *far = walk_far(w);
	const struct walk_post *recv;
	uint32_t set = w->own;

	if (w->takes && walk_paired(w) && !far->srq && (set & WALK_OK)) {
		recv = far->split ? NULL : walk_recv_of(w);
		set &= ~WALK_OK;
		if (recv)
			set |= walk_meeting(w, recv, false);
	}
	if (w->takes && w->late && q->finite && q->type == IBV_QPT_RC)
		set |= WALK_RNR;
	return set | q->hazard;
}

static bool walk_may_fail(const struct walk_post *w)
{
	return !w->done && (walk_accept_send(w) & ~WALK_OK);
}

/* Does one of the sends before number @end perhaps fail? */
static bool walk_fails_before(const struct walk_qp *q, uint32_t end)
{
	for (uint32_t i = q->sends.first; i < end; i++)
		if (walk_may_fail(q->sends.at[i]))
			return true;
	return false;
}

bool walk_fails_alone(const struct walk_pair *p, unsigned side)
{
	const struct walk_qp *q = &p->qp[side];

	return q->told_err || q->may_err || (q->failed && !q->refuses) ||
	       walk_fails_before(q, q->sends.count);
}

/* It was told to, or may have come to be, in ERR. */
static bool walk_may_be_err(const struct walk_pair *p, unsigned side)
{
	const struct walk_qp *q = &p->qp[side];

	return q->refuses || q->failed || walk_fails_alone(p, side);
}

static uint32_t walk_accept_recv(const struct walk_post *w)
{
	const struct walk_qp *q = walk_near(w);
	const struct walk_post *send;

	if (q->type != IBV_QPT_RC || w->blind)
		return w->own;
	/* What was under way when its peer went may still come. */
	if (q->blind)
		return w->own | walk_statuses_there("S02") |
		       walk_statuses_there("S05");
	send = walk_send_of(w);
	if (!send)
		return 0;
	if (!walk_can_succeed(send))
		return send->opcode == IBV_WR_RDMA_WRITE_WITH_IMM
			       ? walk_statuses_there("S15")
			       : 0;
	return walk_meeting(send, w, true);
}

uint32_t walk_accept(const struct walk_post *w)
{
	const struct walk_qp *q = walk_near(w);
	uint32_t set = w->send ? walk_accept_send(w) : walk_accept_recv(w);

	if (q->told_err || q->may_err || q->failed || q->refuses ||
	    walk_fails_before(q, w->send ? w->index : q->sends.count))
		set |= WALK_FLUSH;
	return set;
}

/* Will the peer answer, or be known not to? */
static bool walk_answers(const struct walk_qp *far)
{
	return !far->gone && !far->split && !far->told_err && !far->may_err &&
	       (far->state == IBV_QPS_RTR || far->state == IBV_QPS_RTS);
}

static bool walk_send_due(const struct walk_post *w)
{
	const struct walk_qp *q = walk_near(w), *far = walk_far(w);

	if (q->type != IBV_QPT_RC)
		return true;
	if (w->blind || !walk_answers(far))
		return false;
	/* What the responder refuses it may refuse for want of a receive. */
	if (!walk_can_succeed(w))
		return !w->takes || !w->remote || walk_recv_of(w);
	if (walk_meets_badly(w) || !w->takes)
		return true;
	return !far->srq && (walk_recv_of(w) || q->finite);
}

bool walk_due(const struct walk_post *w)
{
	const struct walk_qp *q = walk_near(w), *far = walk_far(w);
	const struct walk_post *send;

	if (w->done || q->gone)
		return false;
	/* Unsignaled and executed before: that gives no completion. */
	if (q->told_err)
		return !w->send || w->signaled || w->after_err ||
		       !walk_can_succeed(w);
	if (q->may_err || q->failed || q->refuses)
		return false;
	if (!w->send) {
		send = w->blind || q->type != IBV_QPT_RC ? NULL
							 : walk_send_of(w);
		return send && !q->blind && walk_can_succeed(send) &&
		       (send->done ? !far->failed : walk_due(send));
	}
	if (q->state != IBV_QPS_RTS)
		return false;
	if (walk_fails_before(q, w->index))
		return false;
	for (uint32_t i = q->sends.first; i <= w->index; i++)
		if (!q->sends.at[i]->done && !walk_send_due(q->sends.at[i]))
			return false;
	return w->signaled || !walk_can_succeed(w);
}

static const struct walk_post *walk_list_due(const struct walk_list *l)
{
	for (uint32_t i = l->first; i < l->count; i++)
		if (walk_due(l->at[i]))
			return l->at[i];
	return NULL;
}

const struct walk_post *walk_first_due(const struct walk_pair *p)
{
	const struct walk_post *w = NULL;

	for (unsigned side = 0; side < 2 && !w; side++) {
		w = walk_list_due(&p->qp[side].sends);
		if (!w)
			w = walk_list_due(&p->qp[side].recvs);
	}
	return w;
}

bool walk_uncertain(const struct walk_pair *p, unsigned side)
{
	return !p->qp[side].told_err && walk_may_be_err(p, side);
}

unsigned walk_states(const struct walk_pair *p, unsigned side, bool settled)
{
	const struct walk_qp *q = &p->qp[side];
	unsigned after = MATRIX_STATE_BIT(IBV_QPS_ERR);

	if (!walk_uncertain(p, side))
		return MATRIX_STATE_BIT(q->state);
	if (q->type != IBV_QPT_RC)
		after |= MATRIX_STATE_BIT(IBV_QPS_SQE);
	/* An error that was polled has ended it, at the latest by now. */
	if (q->failed && settled)
		return after;
	return after | MATRIX_STATE_BIT(q->state);
}

bool walk_side_idle(const struct walk_pair *p, unsigned side)
{
	return p->qp[side].sends.first == p->qp[side].sends.count;
}

bool walk_idle(const struct walk_pair *p)
{
	return walk_side_idle(p, 0) && walk_side_idle(p, 1);
}

bool walk_quiet(const struct walk_pair *p)
{
	/* What UC and UD have sent may still be on its way. */
	for (unsigned side = 0; side < 2; side++)
		if (p->qp[side].type != IBV_QPT_RC && p->qp[side].sends.count)
			return false;
	return walk_idle(p);
}
