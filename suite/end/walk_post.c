// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Steps of a walk that post work requests, right ones and wrong ones. */
#include <string.h>

#include "base/hash.h"
#include "base/verbs_names.h"
#include "suite/end/walk.h"

enum {
	WALK_LIST_MAX = 8,
	WALK_REFUSALS_MAX =
		32, /* in the books of a queue beside what is owed */
};

/* The books of a queue are a ring, in which refused posts take places too. */
static bool walk_refusable(struct vb_qp *qp, bool send)
{
	const struct ledger_queue *q = send ? qp->sq : qp->rq;
	const struct ledger_counts *c = ledger_queue_counts(q);

	return !ledger_queue_outstanding(q) || c->refused < WALK_REFUSALS_MAX;
}

/* How many of @want the queue has room for, for all that was polled. */
static uint32_t walk_room(struct walk_line *l, const struct ledger_queue *q,
			  uint32_t depth, uint32_t want)
{
	uint64_t taken = ledger_queue_outstanding(q);

	if (taken + want > depth) {
		ends_progress(l->walk->t->ends);
		taken = ledger_queue_outstanding(q);
	}
	if (taken >= depth)
		return 0;
	return taken + want > depth ? (uint32_t)(depth - taken) : want;
}

void walk_enter(struct walk_line *l, struct vb_wr *wr, struct walk_post *post)
{
	post->user = wr;
	wr->walker = l->walk;
	wr->walk = walk_posted(&l->model, post);
	if (!wr->walk)
		vb_broken(l->walk->t, "no memory for the books of a walk");
}

/* One more SGE than the queue pair has; false: that cannot be said. */
static bool walk_too_many(uint32_t cap, struct vb_layout *layout)
{
	static const uint32_t ones[END_SGES_MAX] = {
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	};

	if (cap >= END_SGES_MAX)
		return false;
	layout->count = cap + 1;
	layout->bytes = ones;
	return true;
}

/* --- Receives ------------------------------------------------------------ */

static uint32_t walk_recv_len(const struct walk_line *l,
			      const struct walk_step *s)
{
	/* On UC and UD a message without room is lost, and that is all. */
	if (l->qp[0]->type == IBV_QPT_UD)
		return vb_mtu(l->qp[0]->end);
	return l->qp[0]->type == IBV_QPT_UC || l->made.srq ? WALK_LEN_MAX
							   : s->len;
}

static void walk_recv_srq(struct walk_line *l, unsigned side, uint32_t count)
{
	struct vb_object *srq = l->walk->srq[side];
	struct vb_wr *wr;

	count = walk_room(l, srq->queue, WALK_SRQ_DEPTH, count);
	while (count--) {
		wr = vb_post_srq_recv(srq, .len = WALK_LEN_MAX);
		wr->walker = l->walk;
	}
}

/* 0: all are right, else the number of the wrong one. */
static uint32_t walk_recv_bad(struct walk_line *l, const struct walk_step *s,
			      uint32_t count, struct vb_recv_args *args)
{
	struct vb_qp *qp = l->qp[s->side];
	struct vb_recv_args *wrong = &args[count / 2];

	if (l->model.qp[s->side].state == IBV_QPS_RESET)
		return 0;
	if (s->recv_wrong == WALK_RECV_SGES &&
	    walk_too_many(qp->cap.max_recv_sge, &wrong->layout))
		return count / 2;
	if (s->recv_wrong == WALK_RECV_DEAD_MR && qp->type == IBV_QPT_RC &&
	    wrong->len) {
		wrong->mr = l->walk->dead[s->side];
		wrong->mr_offset = WALK_DEAD_RECEIVES;
		wrong->sges = 1;
	}
	return count;
}

static void walk_recv_post(struct walk_line *l, const struct walk_step *s,
			   uint32_t count)
{
	struct vb_qp *qp = l->qp[s->side];
	struct vb_recv_args args[WALK_LIST_MAX] = { 0 };
	struct vb_wr *wrs[WALK_LIST_MAX];
	uint32_t i, bad;

	for (i = 0; i < count; i++) {
		args[i].len = walk_recv_len(l, s);
		args[i].sges = s->sges % (l->sges + 1);
	}
	/* One alone: of a list a device may not say which it refused. */
	if (l->model.qp[s->side].state == IBV_QPS_RESET)
		count = 1;
	bad = walk_recv_bad(l, s, count, args);
	if (bad < count && !walk_refusable(qp, false))
		return;
	vb_post_recv_list(qp, count, args, bad, wrs);
	for (i = 0; i < bad; i++) {
		struct walk_post post = {
			.side = (uint8_t)s->side,
			.len = wrs[i]->len,
			.own = walk_statuses(NULL),
			.dead = args[i].mr,
			.signaled = true,
		};

		walk_enter(l, wrs[i], &post);
	}
}

void walk_recv(struct walk *w, const struct walk_step *s)
{
	struct walk_line *l = walk_line_of(w, s);
	uint32_t count = s->list ? s->list : 1;

	if (!l || l->model.qp[s->side].gone)
		return;
	if (l->made.srq) {
		walk_recv_srq(l, s->side, count);
		return;
	}
	count = walk_room(l, l->qp[s->side]->rq, l->depth, count);
	if (count)
		walk_recv_post(l, s, count);
}

/* --- Sends --------------------------------------------------------------- */

/* A send on its way to its post. */
struct walk_sending {
	struct walk_line *l;
	const struct walk_step *s;
	struct vb_qp *qp;
	uint32_t count, bad;
	struct vb_send_args args[WALK_LIST_MAX];
	struct walk_post posts[WALK_LIST_MAX];
};

static enum ibv_wr_opcode walk_opcode(const struct vb_qp *qp, uint32_t op)
{
	static const enum ibv_wr_opcode all[] = {
		IBV_WR_SEND,
		IBV_WR_SEND_WITH_IMM,
		IBV_WR_RDMA_WRITE,
		IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	bool atomics = qp->end->opened.device.atomic_cap != IBV_ATOMIC_NONE;
	unsigned has = qp->type == IBV_QPT_UD	? 2
		       : qp->type == IBV_QPT_UC ? 4
		       : atomics		? 7
						: 5;

	return all[op % has];
}

static bool walk_is_atomic(enum ibv_wr_opcode op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool walk_is_send(enum ibv_wr_opcode op)
{
	return op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM;
}

static unsigned walk_right(enum ibv_wr_opcode op)
{
	if (op == IBV_WR_RDMA_READ)
		return IBV_ACCESS_REMOTE_READ;
	return walk_is_atomic(op) ? IBV_ACCESS_REMOTE_ATOMIC
				  : IBV_ACCESS_REMOTE_WRITE;
}

static enum vb_op walk_op(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return VB_WRITE;
	case IBV_WR_RDMA_READ:
		return VB_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return VB_CMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return VB_FETCH_ADD;
	default:
		return VB_SEND;
	}
}

/* It cannot succeed, as row @id of the status matrix says. */
static void walk_fault(struct walk_post *post, const char *id, bool remote)
{
	post->own = walk_statuses(id);
	post->remote = remote;
}

/* A region of the peer: the one of the operand, or one without the right. */
static struct walk_target *walk_target_for(struct walk_sending *x, bool denied)
{
	struct walk_side *far = &x->l->side[!x->s->side];
	unsigned right = walk_right(walk_opcode(x->qp, x->s->op));
	uint32_t i, at, n = far->targets_count + far->windows_count;

	for (i = 0; i < n; i++) {
		struct walk_target *target;

		at = (x->s->mr + i) % n;
		target = at < far->targets_count
				 ? &far->targets[at]
				 : &far->windows[at - far->targets_count];

		if (!!(target->access & right) != denied)
			return target;
	}
	return NULL;
}

/* Where in a region; false: there is none. */
static bool walk_aim(struct walk_sending *x, struct vb_send_args *a,
		     struct walk_post *post, bool wrong)
{
	bool denied = wrong && x->s->send_wrong == WALK_SEND_RIGHTS;
	struct walk_target *target = walk_target_for(x, denied);
	bool atomic = walk_is_atomic(post->opcode);
	uint32_t room;

	if (!target)
		return false;
	/* A word under atomics has an account of its own. */
	if (target->len < 2 * WALK_WORDS && atomic)
		return false;
	room = target->len < 2 * WALK_WORDS ? target->len
					    : target->len - WALK_WORDS;
	if (a->len > room)
		a->len %= room + 1;
	a->to = target->mr;
	a->offset = x->s->offset % (room - a->len + 1);
	if (atomic)
		a->offset = (room + 7 + x->s->offset % (WALK_WORDS - 14)) & ~7u;
	if (!wrong || !a->len || x->qp->type == IBV_QPT_UC)
		return !denied;
	if (x->s->send_wrong == WALK_SEND_RKEY) {
		a->rkey = VB_SET(vb_mr_rkey(x->l->walk->dead[!x->s->side]));
		walk_fault(post, post->takes ? "S15" : "S10", true);
	} else if (x->s->send_wrong == WALK_SEND_BOUNDS) {
		a->offset = atomic ? (target->len + 7) & ~7u
				   : target->len - a->len + 1;
		walk_fault(post, "S11", true);
	} else if (denied) {
		walk_fault(post, "S12", true);
	}
	return true;
}

/* Memory of its own that it may not use. */
static void walk_dead_source(struct walk_sending *x, struct vb_send_args *a,
			     struct walk_post *post)
{
	if (!a->len || a->inlined)
		return;
	a->mr = x->l->walk->dead[x->s->side];
	a->mr_offset = walk_right(post->opcode) == IBV_ACCESS_REMOTE_WRITE
			       ? WALK_DEAD_SENDS
			       : WALK_DEAD_ANSWERS;
	a->sges = 1;
	walk_fault(post,
		   x->qp->type != IBV_QPT_RC ? "S08"
		   : walk_right(post->opcode) == IBV_ACCESS_REMOTE_WRITE
			   ? "S07"
			   : "S09",
		   false);
}

/* True: the verb itself must refuse it. */
static bool walk_must_refuse(struct walk_sending *x, struct vb_send_args *a,
			     const struct walk_post *post)
{
	uint32_t most = x->qp->cap.max_inline_data;

	if (x->s->send_wrong == WALK_SEND_SGES &&
	    !walk_is_atomic(post->opcode)) {
		a->inlined = false;
		return walk_too_many(x->qp->cap.max_send_sge, &a->layout);
	}
	if (x->s->send_wrong != WALK_SEND_INLINE ||
	    !(walk_is_send(post->opcode) ||
	      walk_right(post->opcode) == IBV_ACCESS_REMOTE_WRITE) ||
	    most >= WALK_LEN_MAX)
		return false;
	a->len = most + 1;
	a->sges = 1;
	a->to = NULL;
	a->op = VB_SEND;
	a->imm = (struct vb_value){ 0 };
	a->inlined = true;
	return true;
}

static uint32_t walk_send_len(const struct walk_sending *x, uint32_t number,
			      enum ibv_wr_opcode op)
{
	uint32_t len = x->s->len / (number + 1);

	if (walk_is_atomic(op))
		return 8;
	if (x->qp->type == IBV_QPT_UD)
		len %= vb_mtu(x->qp->end) + 1;
	/* A READ of nothing is not the same to all devices. */
	return op == IBV_WR_RDMA_READ && !len ? 1 : len;
}

/* Number @i of the list; false: it cannot be said. */
static bool walk_form(struct walk_sending *x, uint32_t i)
{
	const struct walk_step *s = x->s;
	enum ibv_wr_opcode op = walk_opcode(x->qp, s->op);
	uint64_t chance =
		hash_mix64(x->l->walk->script->seed ^ (x->l->walk->at + i));
	struct vb_send_args *a = &x->args[i];
	struct walk_post *post = &x->posts[i];
	bool wrong = s->send_wrong && i == x->count / 2;

	*post = (struct walk_post){ .side = (uint8_t)s->side,
				    .send = true,
				    .opcode = op,
				    .own = walk_statuses(NULL),
				    .takes = verbs_wr_takes_recv(op) };
	a->op = walk_op(op);
	a->len = walk_send_len(x, i, op);
	a->sges = walk_is_atomic(op) ? 1 : s->sges % (x->l->sges + 1);
	if (verbs_wr_has_imm(op))
		a->imm = VB_SET(chance & UINT32_MAX);
	a->add = chance >> 7;
	a->swap = chance >> 9;
	a->solicited = s->solicited && !walk_is_atomic(op);
	a->fence = s->fence && x->qp->type == IBV_QPT_RC;
	if (!walk_is_send(op) && !walk_aim(x, a, post, wrong))
		return false;
	a->inlined =
		s->inlined && a->len <= x->qp->cap.max_inline_data &&
		(walk_is_send(op) || walk_right(op) == IBV_ACCESS_REMOTE_WRITE);
	a->unsignaled = s->unsignaled &&
			2 * ledger_queue_outstanding(x->qp->sq) < x->l->depth;
	post->signaled = !a->unsignaled || x->qp->sig_all;
	if (wrong && s->send_wrong == WALK_SEND_DEAD_MR)
		walk_dead_source(x, a, post);
	if (wrong && walk_must_refuse(x, a, post))
		x->bad = i;
	return true;
}

/* Where nothing may be sent yet, all of it is refused. */
static bool walk_state_allows(struct walk_sending *x)
{
	const struct walk_qp *q = &x->l->model.qp[x->s->side];

	if (vb_may_post_send(q->state))
		return true;
	if (walk_uncertain(&x->l->model, x->s->side))
		return false;
	/* One alone: of a list a device may not say which it refused. */
	x->count = 1;
	x->bad = 0;
	return true;
}

void walk_send(struct walk *w, const struct walk_step *s)
{
	struct walk_sending x = { .l = walk_line_of(w, s), .s = s };
	struct vb_wr *wrs[WALK_LIST_MAX];
	uint32_t i;

	if (!x.l || x.l->model.qp[s->side].gone)
		return;
	x.qp = x.l->qp[s->side];
	x.count = walk_room(x.l, x.qp->sq, x.l->depth, s->list ? s->list : 1);
	x.bad = x.count;
	for (i = 0; i < x.count; i++)
		if (!walk_form(&x, i))
			return;
	if (!x.count || !walk_state_allows(&x) ||
	    (x.bad < x.count && !walk_refusable(x.qp, true)))
		return;
	vb_post_send_list(x.qp, x.count, x.args, x.bad, wrs);
	for (i = 0; i < x.bad; i++) {
		if (wrs[i]->refused)
			continue;
		x.posts[i].len = wrs[i]->len;
		walk_enter(x.l, wrs[i], &x.posts[i]);
	}
}
