// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Work requests as the case asks for them: buffers laid out, fields set. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "suite/end/ends.h"

void ends_split(struct prng *prng, uint32_t len, uint32_t sges,
		struct end_place *place)
{
	uint32_t i, left = len;

	/* A piece of no bytes means 2^31 to some devices: there is none. */
	place->sges = sges < len ? sges : len;
	for (i = 0; i < place->sges; i++) {
		uint32_t others = place->sges - i - 1;
		uint32_t piece =
			others ? 1 + (uint32_t)prng_below(prng, left - others)
			       : left;

		place->bytes[i] = piece;
		left -= piece;
	}
}

/* The forms of the post in hand, of each thread. */
struct end_wr *ends_list(void)
{
	static _Thread_local struct end_wr list[END_LIST_MAX];

	return list;
}

static void form_lay(struct vb_object *pd, uint32_t len, uint32_t sges,
		     const struct vb_layout *layout, struct vb_object *mr,
		     uint32_t mr_offset, struct end_place *place)
{
	struct ends *e = pd->end->ends;
	uint32_t i;

	if (layout->count > END_SGES_MAX || sges > END_SGES_MAX)
		vb_broken(e->t, "%u SGEs, at most %d are supported",
			  layout->count ? layout->count : sges, END_SGES_MAX);
	if (layout->count) {
		place->sges = layout->count;
		for (i = 0; i < layout->count; i++)
			place->bytes[i] = layout->bytes[i];
	} else {
		ends_split(&e->prng, len, sges ? sges : 1, place);
	}
	if (mr) {
		place->mr = mr->id;
		place->slot = 0;
		place->offset = mr_offset;
		return;
	}
	ends_place(pd, len, place->sges, place);
}

static uint32_t form_len(uint32_t len, const struct vb_layout *layout)
{
	uint32_t sum = 0, i;

	for (i = 0; i < layout->count; i++)
		sum += layout->bytes[i];
	return layout->count ? sum : len;
}

struct vb_wr *ends_wr_make(struct vb_end *end, struct vb_wr **list, bool send)
{
	struct vb_wr *wr = calloc(1, sizeof(*wr));

	if (!wr)
		vb_broken(end->ends->t, "no memory for a work request");
	wr->end = end;
	wr->send = send;
	wr->next = *list;
	*list = wr;
	return wr;
}

/* What is said of each piece, for all of them. */
static void form_pieces(struct vb_end *end, const struct vb_layout *said,
			const struct end_place *place, const char *what,
			uint32_t *out)
{
	uint32_t i;

	if (said->count != place->sges)
		vb_broken(end->ends->t, "%u %s for %u pieces", said->count,
			  what, place->sges);
	for (i = 0; i < said->count; i++)
		out[i] = said->bytes[i];
}

static void form_lkeys(struct vb_end *end, const struct vb_layout *lkeys,
		       struct end_wr *form)
{
	if (!lkeys->count)
		return;
	form_pieces(end, lkeys, &form->place, "lkeys", form->lkeys);
	form->lkeys_count = lkeys->count;
}

void ends_recv_form(struct vb_object *pd, const struct vb_recv_args *args,
		    bool datagram, struct vb_wr *wr, struct end_wr *form)
{
	memset(form, 0, sizeof(*form));
	wr->len = args->no_sge ? 0 : form_len(args->len, &args->layout);
	if (datagram && !args->bare && !args->layout.count)
		wr->len += END_GRH;
	form_lay(pd, wr->len, args->sges, &args->layout, args->mr,
		 args->mr_offset, &form->place);
	if (args->no_sge)
		form->place.sges = 0;
	if (args->mr && args->mr->memory)
		ends_memory_forget(args->mr->memory,
				   args->mr->memory_at + args->mr_offset,
				   wr->len);
	form->lkey_set = args->lkey.set;
	form->lkey = (uint32_t)args->lkey.value;
	form_lkeys(pd->end, &args->lkeys, form);
}

struct vb_wr *ends_recv_make(struct vb_qp *qp, const struct vb_recv_args *args,
			     struct end_wr *form)
{
	struct vb_wr *wr = ends_wr_make(
		qp->end, qp->srq ? &qp->srq->wrs : &qp->wrs, false);

	wr->qp = qp->srq ? NULL : qp;
	ends_recv_form(qp->srq ? qp->srq->in_pd : qp->pd, args,
		       qp->type == IBV_QPT_UD, wr, form);
	return wr;
}

static enum ibv_wr_opcode form_opcode(const struct vb_send_args *args)
{
	switch (args->op) {
	case VB_WRITE:
		return args->imm.set ? IBV_WR_RDMA_WRITE_WITH_IMM
				     : IBV_WR_RDMA_WRITE;
	case VB_READ:
		return IBV_WR_RDMA_READ;
	case VB_CMP_SWAP:
		return IBV_WR_ATOMIC_CMP_AND_SWP;
	case VB_FETCH_ADD:
		return IBV_WR_ATOMIC_FETCH_AND_ADD;
	case VB_BIND_MW:
		return IBV_WR_BIND_MW;
	case VB_LOCAL_INV:
		return IBV_WR_LOCAL_INV;
	default:
		if (args->invalidate || args->inv_rkey.set)
			return IBV_WR_SEND_WITH_INV;
		return args->imm.set ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
	}
}

/* A SEND of other bytes than its message's is a lie to the receiver's books:
 * how they take it is what a case about ourselves asks. */
static bool form_as_is_may(const struct vb_qp *qp, enum vb_op op)
{
	return op == VB_WRITE ||
	       (op == VB_SEND && ends_test(qp)->record->dimension == VB_META);
}

/* Where its pieces lie, and that they are not filled. */
static void form_source(struct vb_qp *qp, const struct vb_send_args *args,
			struct vb_wr *wr, struct end_wr *form)
{
	form_lkeys(qp->end, &args->lkeys, form);
	if (args->at.count) {
		form_pieces(qp->end, &args->at, &form->place, "places",
			    form->place.at);
		form->place.at_set = true;
	}
	if (args->as_is && (!args->mr || !form_as_is_may(qp, args->op)))
		vb_broken(ends_test(qp), "as it is: a WRITE from a region");
	form->keep = wr->as_is = args->as_is;
}

static bool form_has_data(enum vb_op op)
{
	return op != VB_BIND_MW && op != VB_LOCAL_INV;
}

struct vb_wr *ends_send_make(struct vb_qp *qp, const struct vb_send_args *args,
			     struct end_wr *form)
{
	struct vb_wr *wr = ends_wr_make(qp->end, &qp->wrs, true);
	bool atomic = args->op == VB_CMP_SWAP || args->op == VB_FETCH_ADD;

	memset(form, 0, sizeof(*form));
	wr->qp = qp;
	wr->len = form_len(args->len, &args->layout);
	if (atomic && !args->len && !args->layout.count)
		wr->len = 8;
	if (args->no_sge || !form_has_data(args->op))
		wr->len = 0;
	if (form_has_data(args->op))
		form_lay(qp->pd, wr->len, args->sges, &args->layout, args->mr,
			 args->mr_offset, &form->place);
	if (args->no_sge)
		form->place.sges = 0;
	form->lkey_set = args->lkey.set;
	form->lkey = (uint32_t)args->lkey.value;
	form_source(qp, args, wr, form);
	form->op = form_opcode(args);
	if (args->raw_opcode.set)
		form->op = (enum ibv_wr_opcode)args->raw_opcode.value;
	form->imm_data = htobe32((uint32_t)args->imm.value);
	form->flags = (args->unsignaled ? 0 : IBV_SEND_SIGNALED) |
		      (args->solicited ? IBV_SEND_SOLICITED : 0) |
		      (args->inlined ? IBV_SEND_INLINE : 0) |
		      (args->fence ? IBV_SEND_FENCE : 0);
	if (args->raw_flags.set)
		form->flags = (unsigned)args->raw_flags.value;
	ends_datagram_form(qp, args, wr, form);
	if (qp->type != IBV_QPT_UD)
		ends_effect_enter(qp, wr, args, form);
	return wr;
}
