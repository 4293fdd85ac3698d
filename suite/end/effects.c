// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What operations do to memory: WRITE, READ, atomics, binding, invalidation.
 *
 * Each queue pair has a list of those that are under way.  A completion says
 * that its own and all before it on the queue have been done, in that order;
 * only then does the account of the regions move, so that a READ is compared
 * with what lay there before a later WRITE of the same queue.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/ends.h"
#include "suite/end/remote.h"

enum { EFFECTS_PIECES = 256 }; /* of what one READ may bring */

static void effects_broken(struct vb_qp *qp) NO_RETURN;

static void effects_broken(struct vb_qp *qp)
{
	vb_broken(ends_test(qp), "no memory for the account of a region");
}

/* --- What a form does ---------------------------------------------------- */

/* The region behind @to, and where it lies in it. */
static void effects_target(struct vb_wr *wr, const struct vb_object *to,
			   uint32_t offset)
{
	const struct vb_object *mr = to;
	uint64_t at = offset;

	if (to->kind == END_MW) {
		mr = to->bound;
		at += mr ? to->address - mr->address : 0;
	}
	if (!mr || !mr->memory)
		return;
	wr->memory = mr->memory;
	wr->memory_at = mr->memory_at + at;
	/* Outside of it nothing may happen, and nothing is accounted for. */
	if (wr->memory_at > region_len(mr->memory->region) ||
	    wr->len > region_len(mr->memory->region) - wr->memory_at)
		wr->memory = NULL;
}

static void effects_bind_form(struct vb_wr *wr, const struct vb_send_args *args,
			      struct end_wr *form)
{
	wr->window = args->mw;
	wr->bind_mr = args->bind_mr;
	wr->bind = form->bind = (struct end_bind){
		.mw = args->mw ? args->mw->id : 0,
		.mr = args->bind_mr ? args->bind_mr->id : 0,
		.offset = args->bind_offset,
		.len = args->bind_len,
		.access = args->bind_access,
	};
	/* A key that differs in its low byte alone, and is ours to choose. */
	form->rkey = args->mw ? ibv_inc_rkey(args->mw->rkey) : 0;
	if (args->rkey.set)
		form->rkey = (uint32_t)args->rkey.value;
	if (!args->mw)
		return;
	args->mw->rkey = form->rkey;
	args->mw->bound = args->bind_mr;
	args->mw->room = args->bind_len;
	args->mw->address = args->bind_mr->address + args->bind_offset;
}

static bool effects_on_memory(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return true;
	default:
		return false;
	}
}

static void effects_keys(const struct vb_send_args *args, struct vb_wr *wr,
			 struct end_wr *form)
{
	if (form->op == IBV_WR_BIND_MW) {
		effects_bind_form(wr, args, form);
		return;
	}
	if (args->to) {
		form->remote_address = args->to->address + args->offset;
		form->rkey = args->to->rkey;
	}
	if (args->invalidate)
		form->rkey = args->invalidate->rkey;
	if (args->rkey.set)
		form->rkey = (uint32_t)args->rkey.value;
	if (args->inv_rkey.set)
		form->rkey = (uint32_t)args->inv_rkey.value;
	if (args->remote.set)
		form->remote_address = args->remote.value;
}

void ends_effect_enter(struct vb_qp *qp, struct vb_wr *wr,
		       const struct vb_send_args *args, struct end_wr *form)
{
	bool swap = form->op == IBV_WR_ATOMIC_CMP_AND_SWP;

	effects_keys(args, wr, form);
	form->result = form->op == IBV_WR_RDMA_READ || swap ||
		       form->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
	form->compare_add = swap ? args->compare : args->add;
	form->swap = args->swap;
	wr->compare_add = form->compare_add;
	wr->swap = form->swap;
	wr->fenced = form->flags & IBV_SEND_FENCE;
	if (args->mr && args->mr->memory && !form->result && !wr->as_is)
		ends_memory_forget(args->mr->memory,
				   args->mr->memory_at + args->mr_offset,
				   wr->len);
	if (!effects_on_memory(form->op))
		return;
	if (args->to && !args->remote.set)
		effects_target(wr, args->to, args->offset);
	wr->effect = true;
	wr->effect_next = NULL;
	if (!qp->effects)
		qp->effects_end = &qp->effects;
	*qp->effects_end = wr;
	qp->effects_end = &wr->effect_next;
}

void ends_effect_leave(struct vb_qp *qp, struct vb_wr *wr)
{
	struct vb_wr **at = &qp->effects;

	if (!wr->effect)
		return;
	wr->effect = false;
	while (*at && *at != wr)
		at = &(*at)->effect_next;
	if (!*at)
		return;
	*at = wr->effect_next;
	while (*at)
		at = &(*at)->effect_next;
	qp->effects_end = at;
}

/* --- Done ---------------------------------------------------------------- */

static void effects_wrote(struct vb_wr *wr)
{
	const struct region_piece piece = {
		.at = wr->memory_at,
		.len = wr->len,
		.kind = REGION_MESSAGE,
		.message = wr->payload,
		.loose = wr->qp->type != IBV_QPT_RC,
	};

	if (wr->as_is)
		ends_memory_forget(wr->memory, wr->memory_at, wr->len);
	else if (region_put(wr->memory->region, &piece))
		effects_broken(wr->qp);
}

/* Pieces that lie in @at .. @at + @len are not known; *@count of @room. */
static void effects_blank(struct region_piece *pieces, uint32_t *count,
			  uint64_t at, uint64_t len)
{
	uint32_t i, n = *count;

	for (i = 0; i < n; i++) {
		struct region_piece *p = &pieces[i], rest;
		uint64_t end = p->at + p->len, stop = at + len;

		if (p->kind == REGION_UNKNOWN || p->at >= stop || end <= at)
			continue;
		/* With no room to cut, all of the piece is given up. */
		if (n + 2 > EFFECTS_PIECES || (p->at >= at && end <= stop)) {
			p->kind = REGION_UNKNOWN;
			continue;
		}
		rest = *p;
		memmove(p + 1, p, (n - i) * sizeof(*p));
		n++;
		if (p->at < at) {
			p->len = at - p->at;
		} else {
			p->len = stop - p->at;
			p->kind = REGION_UNKNOWN;
		}
		p[1].at = rest.at + p->len;
		p[1].from = rest.from + p->len;
		p[1].was_from = rest.was_from + p->len;
		p[1].len = rest.len - p->len;
	}
	*count = n;
}

/*
 * What was posted behind a READ, and does not wait for it, may have been done
 * before the READ was repeated: there it may bring the one or the other.
 */
static void effects_blank_later(const struct vb_wr *read,
				struct region_piece *pieces, uint32_t *count)
{
	const struct vb_wr *other;

	for (other = read->qp->effects; other; other = other->effect_next) {
		uint64_t from = other->memory_at, to = from + other->len;

		if (other->fenced)
			return;
		if (other->memory != read->memory ||
		    other->op == IBV_WR_RDMA_READ)
			continue;
		from = from > read->memory_at ? from - read->memory_at : 0;
		if (to <= read->memory_at + from)
			continue;
		effects_blank(pieces, count, from, to - read->memory_at - from);
	}
}

static void effects_word(struct vb_wr *wr)
{
	struct end_count out;

	if (!wr->end->ops->load(wr->end->host, &wr->place, &out))
		wr->result = out.count;
}

/* What came is what lay there. */
static void effects_read(struct vb_wr *wr)
{
	static _Thread_local struct region_piece pieces[EFFECTS_PIECES];
	const struct ends *e = wr->qp->ends;
	const struct pattern_context context = {
		.known = e->known,
		.known_count = e->known_count,
	};
	struct end_verify in = { .place = wr->place,
				 .len = wr->len,
				 .pieces = pieces,
				 .context = &context };
	struct complaint c;

	if (wr->len >= sizeof(wr->result))
		effects_word(wr);
	if (wr->memory &&
	    !region_slice(wr->memory->region, wr->memory_at, wr->len, pieces,
			  EFFECTS_PIECES, &in.pieces_count)) {
		effects_blank_later(wr, pieces, &in.pieces_count);
		if (wr->end->remote)
			end_remote_trust(wr);
		if (!ends_holds(wr, &in, &c))
			ends_complain(wr->qp->ends, &c);
		return;
	}
	in.guards_only = true;
	if (!ends_holds(wr, &in, &c))
		ends_complain(wr->qp->ends, &c);
}

static bool effects_atomic(const struct vb_wr *wr)
{
	return wr->op == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       wr->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static struct ends_cell *effects_cell(struct vb_wr *wr)
{
	struct ends_memory *m = wr->memory;
	struct ends_cell *cell;
	uint64_t initial;

	for (cell = m->cells; cell; cell = cell->next)
		if (cell->at == wr->memory_at)
			return cell;
	if (region_bytes(m->region, wr->memory_at, &initial, 8))
		return NULL;
	cell = calloc(1, sizeof(*cell));
	if (!cell || !(cell->chain = chain_create(initial)))
		effects_broken(wr->qp);
	cell->at = wr->memory_at;
	cell->next = m->cells;
	m->cells = cell;
	/* Until the chain is closed the word is one of many. */
	ends_memory_forget(m, wr->memory_at, 8);
	return cell;
}

static void effects_cell_free(struct ends_memory *m, struct ends_cell *cell)
{
	struct ends_cell **at = &m->cells;

	while (*at != cell)
		at = &(*at)->next;
	*at = cell->next;
	chain_destroy(cell->chain);
	free(cell);
}

/* Is any atomic on that cell under way, on whatever queue pair? */
static bool effects_busy(const struct vb_wr *wr)
{
	const struct ends *e = wr->qp->ends;
	const struct vb_wr *other;
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		for (other = e->qps[i]->effects; other;
		     other = other->effect_next)
			if (other != wr && effects_atomic(other) &&
			    other->memory == wr->memory &&
			    other->memory_at == wr->memory_at)
				return true;
	return false;
}

static void effects_swapped(struct vb_wr *wr)
{
	struct chain_step step = {
		.wr_id = wr->wr_id,
		.owner = wr->qp,
		.swap = wr->op == IBV_WR_ATOMIC_CMP_AND_SWP,
		.compare = wr->compare_add,
		.operand = wr->swap,
	};
	struct region_piece piece = { .at = wr->memory_at,
				      .len = 8,
				      .kind = REGION_WORD };
	struct ends_cell *cell;
	struct complaint c;

	if (!step.swap)
		step.operand = wr->compare_add;
	effects_word(wr);
	step.old = wr->result;
	if (!wr->memory || wr->len != 8)
		return;
	cell = effects_cell(wr);
	if (!cell) {
		/* Of what was not known nothing is known afterwards. */
		ends_memory_forget(wr->memory, wr->memory_at, 8);
		return;
	}
	/* Unsignaled: its result may be looked at, but when is not known. */
	if (chain_add(cell->chain, &step))
		effects_broken(wr->qp);
	if (effects_busy(wr))
		return;
	if (chain_settle(cell->chain, &piece.word, &c))
		ends_complain(wr->qp->ends, &c);
	effects_cell_free(wr->memory, cell);
	if (region_put(wr->memory->region, &piece))
		effects_broken(wr->qp);
	vb_checked(ends_test(wr->qp));
}

/* Does a later operation under way touch the same bytes? */
static bool effects_overtaken(const struct vb_wr *wr)
{
	const struct vb_wr *other = wr->effect ? wr->effect_next
					       : wr->qp->effects;

	for (; other; other = other->effect_next)
		if (other->memory == wr->memory &&
		    other->op != IBV_WR_RDMA_READ &&
		    other->memory_at < wr->memory_at + wr->len &&
		    wr->memory_at < other->memory_at + other->len)
			return true;
	return false;
}

/* What must lie where @write wrote: its message; or, once that is in the
 * account, what that says.  False: it is not known. */
static bool effects_there(const struct vb_wr *write,
			  struct region_piece *pieces, uint32_t *count)
{
	if (!write->memory || write->as_is || effects_overtaken(write))
		return false;
	if (!write->effect)
		return !region_slice(write->memory->region, write->memory_at,
				     write->len, pieces, EFFECTS_PIECES, count);
	pieces[0] = (struct region_piece){ .len = write->len,
					   .kind = REGION_MESSAGE,
					   .message = write->payload };
	*count = 1;
	return true;
}

void ends_effect_arrived(struct vb_wr *write)
{
	static _Thread_local struct region_piece pieces[EFFECTS_PIECES];
	struct ends *e = write->qp->ends;
	const struct pattern_context context = {
		.known = e->known,
		.known_count = e->known_count,
	};
	struct end_region in = { .pieces = pieces, .context = &context };
	struct vb_object *mr;
	struct end_region_verified out;
	char text[ENDS_TEXT];
	struct complaint c;

	if (!effects_there(write, pieces, &in.pieces_count))
		return;
	mr = write->memory->owner;
	in.mr = mr->id;
	in.offset = (uint32_t)write->memory_at;
	if (mr->gone || mr->end->ops->verify_region(mr->end->host, &in, &out) ||
	    out.good)
		return;
	complaint_set(&c, out.complaint.finding, write->wr_id,
		      "%s: its immediate has come, and in the region %s",
		      ends_wr_text(write, text, sizeof(text)),
		      out.complaint.text);
	ends_complain(e, &c);
}

/* Not known whether, or how far, it was executed. */
static void effects_maybe(struct vb_wr *wr)
{
	struct ends_cell *cell;

	if (!wr->memory || wr->op == IBV_WR_RDMA_READ)
		return;
	for (cell = wr->memory->cells; cell; cell = cell->next)
		if (effects_atomic(wr) && cell->at == wr->memory_at)
			break;
	if (cell)
		effects_cell_free(wr->memory, cell);
	ends_memory_forget(wr->memory, wr->memory_at, wr->len);
}

static void effects_done(struct vb_wr *wr)
{
	if (effects_atomic(wr))
		effects_swapped(wr);
	else if (wr->op == IBV_WR_RDMA_READ)
		effects_read(wr);
	else if (wr->memory)
		effects_wrote(wr);
}

/* Of an error: a request that the responder has refused has done nothing. */
static void effects_failed(struct vb_wr *wr)
{
	if (wr->wc.status != IBV_WC_REM_ACCESS_ERR &&
	    wr->wc.status != IBV_WC_REM_INV_REQ_ERR)
		effects_maybe(wr);
}

void ends_effects_settle(struct vb_wr *wr)
{
	struct vb_qp *qp = wr->qp;

	while (qp->effects && qp->effects->sequence <= wr->sequence) {
		struct vb_wr *next = qp->effects;

		qp->effects = next->effect_next;
		next->effect = false;
		if (next != wr || wr->wc.status == IBV_WC_SUCCESS)
			effects_done(next);
		else
			effects_failed(next);
	}
}

void ends_effects_drop(struct vb_qp *qp)
{
	while (qp->effects) {
		struct vb_wr *wr = qp->effects;

		qp->effects = wr->effect_next;
		wr->effect = false;
		effects_maybe(wr);
	}
}

uint64_t vb_result(const struct vb_wr *wr)
{
	return wr->result;
}
