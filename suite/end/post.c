// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Work requests: laid out, entered in the books, posted, and the verb's answer
 * judged.  The entry is made before the verb, so that no completion overtakes
 * it, and taken back when the verb refuses.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
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

static void post_lay(struct vb_qp *qp, uint32_t len, uint32_t sges,
		     const struct vb_layout *layout, struct vb_object *mr,
		     struct end_place *place)
{
	uint32_t i;

	if (layout->count > END_SGES_MAX || sges > END_SGES_MAX)
		vb_broken(ends_test(qp), "%u SGEs, at most %d are supported",
			  layout->count ? layout->count : sges, END_SGES_MAX);
	if (layout->count) {
		place->sges = layout->count;
		for (i = 0; i < layout->count; i++)
			place->bytes[i] = layout->bytes[i];
	} else {
		ends_split(&qp->ends->prng, len, sges ? sges : 1, place);
	}
	if (mr) {
		place->mr = mr->id;
		place->slot = 0;
		return;
	}
	ends_place(qp, len, place->sges, place);
}

static uint32_t post_len(uint32_t len, const struct vb_layout *layout)
{
	uint32_t sum = 0, i;

	for (i = 0; i < layout->count; i++)
		sum += layout->bytes[i];
	return layout->count ? sum : len;
}

static struct vb_wr *post_wr(struct vb_qp *qp, bool send)
{
	struct vb_wr *wr = calloc(1, sizeof(*wr));

	if (!wr)
		vb_broken(ends_test(qp), "no memory for a work request");
	wr->qp = qp;
	wr->send = send;
	wr->next = qp->wrs;
	qp->wrs = wr;
	return wr;
}

static struct vb_wr *post_recv_form(struct vb_qp *qp,
				    const struct vb_recv_args *args,
				    struct end_wr *form)
{
	struct vb_wr *wr = post_wr(qp, false);

	memset(form, 0, sizeof(*form));
	wr->len = args->no_sge ? 0 : post_len(args->len, &args->layout);
	post_lay(qp, wr->len, args->sges, &args->layout, args->mr,
		 &form->place);
	if (args->no_sge)
		form->place.sges = 0;
	form->lkey_set = args->lkey.set;
	form->lkey = (uint32_t)args->lkey.value;
	return wr;
}

static struct vb_wr *post_send_form(struct vb_qp *qp,
				    const struct vb_send_args *args,
				    struct end_wr *form)
{
	struct vb_wr *wr = post_wr(qp, true);

	memset(form, 0, sizeof(*form));
	wr->len = post_len(args->len, &args->layout);
	post_lay(qp, wr->len, args->sges, &args->layout, args->mr,
		 &form->place);
	form->lkey_set = args->lkey.set;
	form->lkey = (uint32_t)args->lkey.value;
	form->op = args->op ? args->op : IBV_WR_SEND;
	if (args->imm.set && form->op == IBV_WR_SEND)
		form->op = IBV_WR_SEND_WITH_IMM;
	form->imm_data = htobe32((uint32_t)args->imm.value);
	form->flags = (args->unsignaled ? 0 : IBV_SEND_SIGNALED) |
		      (args->solicited ? IBV_SEND_SOLICITED : 0) |
		      (args->inlined ? IBV_SEND_INLINE : 0) |
		      (args->fence ? IBV_SEND_FENCE : 0);
	return wr;
}

/* The message that the send makes, and its number in its direction. */
static void post_message(struct vb_qp *qp, struct vb_wr *wr,
			 struct end_wr *form)
{
	const struct pattern_origin origin = { .end = qp->end->side,
					       .qp_index = qp->index,
					       .generation = qp->generation };
	struct pairing_message m = { .wr_id = wr->wr_id,
				     .len = wr->len,
				     .opcode = form->op,
				     .imm_data = form->imm_data,
				     .user = wr };
	int err = pairing_sent(qp->out, &m);

	if (err)
		vb_broken(ends_test(qp), "numbering a message: %s",
			  strerror(-err));
	wr->number = m.number;
	wr->op = form->op;
	wr->imm_data = form->imm_data;
	form->payload = (struct pattern_message){
		.key = pattern_key(qp->ends->t->seed, &origin),
		.sequence = m.number,
		.len = wr->len,
		.qp_num = qp->qpn,
	};
	wr->payload = form->payload;
}

static void post_enter(struct vb_qp *qp, struct vb_wr *wr, struct end_wr *form,
		       uint32_t accept)
{
	struct ledger_post post = {
		.opcode = form->op,
		.signaled = form->flags & IBV_SEND_SIGNALED,
		.len = wr->len,
		.accept = accept,
		.user = wr,
	};
	struct ledger_entry *entry;
	int err = ledger_post(wr->send ? qp->sq : qp->rq, &post, &entry);

	if (err)
		vb_broken(ends_test(qp),
			  "end %s qp 0x%x: more work requests outstanding than "
			  "its queue holds: poll, or make it deeper",
			  ends_side(qp->end), qp->qpn);
	wr->wr_id = form->wr_id = entry->wr_id;
	wr->sequence = entry->sequence;
	wr->generation = qp->generation;
	wr->signaled = entry->signaled;
	wr->place = form->place;
	if (wr->send)
		post_message(qp, wr, form);
	wr->posted_ns = entry->posted_ns = clock_now_ns();
}

/* Take the entries from @from on back. */
static void post_leave(struct vb_qp *qp, struct vb_wr **wrs, uint32_t count,
		       uint32_t from)
{
	struct ledger_queue *q = wrs[from]->send ? qp->sq : qp->rq;
	uint32_t i;

	ledger_refuse(ledger_queue_entry(q, wrs[from]->sequence));
	if (wrs[from]->send)
		pairing_refused(qp->out, wrs[from]->number);
	for (i = from; i < count; i++)
		wrs[i]->refused = true;
}

static void post_judge(struct vb_qp *qp, const struct end_posted *out,
		       uint32_t count, uint32_t bad, const char *what)
{
	struct vb_test *t = ends_test(qp);

	if (bad == POST_EITHER)
		return;
	if (bad == count) {
		vb_check(t, VB_FIND_WRONG_RETURN, !out->err,
			 "end %s qp 0x%x: %s of %u work request%s was refused: "
			 "%s (*bad_wr: number %d)",
			 ends_side(qp->end), qp->qpn, what, count,
			 count > 1 ? "s" : "", strerror(-out->err),
			 (int)out->bad);
		return;
	}
	vb_check(t, VB_FIND_WRONG_RETURN, out->err,
		 "end %s qp 0x%x: %s of %u work request%s was accepted, number "
		 "%u must be refused",
		 ends_side(qp->end), qp->qpn, what, count, count > 1 ? "s" : "",
		 bad);
	/* A list of one leaves no doubt about which it was. */
	if (count == 1 && out->bad == END_BAD_NONE)
		return;
	vb_check(t, VB_FIND_WRONG_RETURN, out->bad == bad,
		 "end %s qp 0x%x: %s of %u work request%s was refused, *bad_wr "
		 "is %s%d, it must be number %u",
		 ends_side(qp->end), qp->qpn, what, count, count > 1 ? "s" : "",
		 out->bad == END_BAD_NONE      ? "not set "
		 : out->bad == END_BAD_FOREIGN ? "none of them "
					       : "number ",
		 (int)out->bad, bad);
}

void ends_post(struct vb_qp *qp, struct vb_wr **wrs, uint32_t count,
	       const struct end_wr *forms, uint32_t bad, uint32_t accept)
{
	struct end_post in = { .qp = qp->id, .count = count };
	struct end_wr *list = qp->ends->list;
	bool send = wrs[0]->send;
	struct end_posted out;
	uint32_t i, taken;
	int err;

	if (qp->gone)
		vb_broken(ends_test(qp), "posting to a QP that was destroyed");
	for (i = 0; i < count; i++) {
		if (list != forms)
			list[i] = forms[i];
		post_enter(qp, wrs[i], &list[i], accept);
	}
	in.wrs = list;
	err = send ? qp->end->ops->post_send(qp->end->host, &in, &out)
		   : qp->end->ops->post_recv(qp->end->host, &in, &out);
	if (err)
		vb_broken(ends_test(qp),
			  "end %s: laying out a work request of %u bytes: %s",
			  ends_side(qp->end), wrs[0]->len, strerror(-err));
	taken = !out.err	  ? count
		: out.bad < count ? out.bad
				  : (bad < count ? bad : 0);
	if (send)
		dashboard_sends_posted(qp->row, taken);
	else
		dashboard_recvs_posted(qp->row, taken);
	if (taken < count)
		post_leave(qp, wrs, count, taken);
	post_judge(qp, &out, count, bad,
		   send ? "ibv_post_send" : "ibv_post_recv");
}

static void post_scribble(struct vb_qp *qp, const struct vb_wr *wr)
{
	struct end_nothing none;

	(void)qp->end->ops->scribble(qp->end->host, &wr->place, &none);
}

struct vb_wr *vb_post_recv_args(struct vb_qp *qp,
				const struct vb_recv_args *args)
{
	struct vb_wr *wr;

	vb_post_recv_list(qp, 1, args, 1, &wr);
	return wr;
}

struct vb_wr *vb_post_send_args(struct vb_qp *qp,
				const struct vb_send_args *args)
{
	struct vb_wr *wr;

	vb_post_send_list(qp, 1, args, 1, &wr);
	return wr;
}

struct vb_wr *vb_try_post_recv_args(struct vb_qp *qp,
				    const struct vb_recv_args *args)
{
	struct vb_wr *wr;

	vb_post_recv_list(qp, 1, args, POST_EITHER, &wr);
	return wr->refused ? NULL : wr;
}

struct vb_wr *vb_try_post_send_args(struct vb_qp *qp,
				    const struct vb_send_args *args)
{
	struct vb_wr *wr;

	vb_post_send_list(qp, 1, args, POST_EITHER, &wr);
	return wr->refused ? NULL : wr;
}

void vb_post_recv_refused_args(struct vb_qp *qp,
			       const struct vb_recv_args *args)
{
	struct vb_wr *wr;

	vb_post_recv_list(qp, 1, args, 0, &wr);
}

void vb_post_send_refused_args(struct vb_qp *qp,
			       const struct vb_send_args *args)
{
	struct vb_wr *wr;

	vb_post_send_list(qp, 1, args, 0, &wr);
}

static void post_count(struct vb_qp *qp, uint32_t count)
{
	if (!count || count > VB_LIST_MAX)
		vb_broken(ends_test(qp), "a list of %u, allowed are 1 to %d",
			  count, VB_LIST_MAX);
}

void vb_post_recv_list(struct vb_qp *qp, uint32_t count,
		       const struct vb_recv_args *args, uint32_t bad,
		       struct vb_wr **wrs)
{
	struct vb_wr *made[VB_LIST_MAX];
	uint32_t i;

	post_count(qp, count);
	for (i = 0; i < count; i++)
		made[i] = post_recv_form(qp, &args[i], &qp->ends->list[i]);
	ends_post(qp, made, count, qp->ends->list, bad, LEDGER_ACCEPT_ANY);
	for (i = 0; i < count && i < bad; i++)
		wrs[i] = made[i];
}

void vb_post_send_list(struct vb_qp *qp, uint32_t count,
		       const struct vb_send_args *args, uint32_t bad,
		       struct vb_wr **wrs)
{
	struct vb_wr *made[VB_LIST_MAX];
	uint32_t i;

	post_count(qp, count);
	for (i = 0; i < count; i++)
		made[i] = post_send_form(qp, &args[i], &qp->ends->list[i]);
	ends_post(qp, made, count, qp->ends->list, bad, LEDGER_ACCEPT_ANY);
	for (i = 0; i < count && i < bad; i++) {
		wrs[i] = made[i];
		if (args[i].scribble)
			post_scribble(qp, made[i]);
	}
}
