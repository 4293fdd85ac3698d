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
#include "suite/end/remote.h"

/* Payloads of what takes no receive have sequences of their own. */
#define POST_UNNUMBERED (UINT64_C(1) << 35)

/* What the receiver has to get, and its number in its direction. */
static void post_number(struct vb_qp *qp, struct vb_wr *wr,
			const struct end_wr *form)
{
	struct pairing_message m = { .wr_id = wr->wr_id,
				     .len = wr->len,
				     .opcode = form->op,
				     .imm_data = form->imm_data,
				     .invalidate_rkey = form->rkey,
				     .user = wr };
	int err = 0;

	if (!verbs_wr_takes_recv(form->op)) {
		wr->acks = qp->loose ? 0 : pairing_next(qp->out);
		wr->number = POST_UNNUMBERED | wr->sequence;
		return;
	}
	if (qp->loose)
		lossy_sent(qp->loose, &m,
			   form->remote_qpn ? form->remote_qpn
					    : qp->remote.qpn);
	else
		err = pairing_sent(qp->out, &m);
	if (err)
		vb_broken(ends_test(qp), "numbering a message: %s",
			  strerror(-err));
	wr->number = m.number;
	wr->acks = m.number + 1;
}

/* The bytes that the operation carries to the peer. */
static void post_message(struct vb_qp *qp, struct vb_wr *wr,
			 struct end_wr *form)
{
	const struct pattern_origin origin = { .end = qp->end->side,
					       .qp_index = qp->index,
					       .generation = qp->generation };

	post_number(qp, wr, form);
	wr->op = form->op;
	wr->imm_data = form->imm_data;
	form->payload = (struct pattern_message){
		.key = pattern_key(qp->ends->t->seed, &origin),
		.sequence = wr->number,
		.len = wr->len,
		.qp_num = qp->qpn,
	};
	wr->payload = form->payload;
	/* It lies there already, and may be longer than any of a pattern. */
	if (form->keep)
		form->payload.len = 0;
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
	wr->rkey = form->rkey;
	wr->remote_address = form->remote_address;
	wr->lkey_said = form->lkey_set;
	wr->lkey = form->lkey;
	wr->lkeys_said = form->lkeys_count;
	wr->ah = form->ah;
	wr->remote_qpn = form->remote_qpn;
	wr->remote_qkey = form->remote_qkey;
	if (wr->send)
		post_message(qp, wr, form);
	wr->posted_ns = entry->posted_ns = clock_now_ns();
}

/* Take the entries from @from on back. */
static void post_leave(struct vb_qp *qp, struct vb_wr **wrs, uint32_t count,
		       uint32_t from)
{
	struct ledger_queue *q = wrs[from]->send ? qp->sq : qp->rq;
	bool numbered = false;
	uint32_t i;

	ledger_refuse(ledger_queue_entry(q, wrs[from]->sequence));
	for (i = from; i < count; i++) {
		wrs[i]->refused = true;
		if (!wrs[i]->send)
			continue;
		ends_effect_leave(qp, wrs[i]);
		if (numbered || !verbs_wr_takes_recv(wrs[i]->op))
			continue;
		numbered = true;
		if (qp->loose)
			lossy_refused(qp->loose, wrs[i]->number);
		else
			pairing_refused(qp->out, wrs[i]->number);
	}
}

void ends_negative_note(struct vb_end *end, const char *verb, bool *told)
{
	if (*told)
		return;
	*told = true;
	vb_note(end->ends->t,
		"end %s: %s refuses by a negative value, the manual page "
		"promises the errno itself",
		ends_side(end), verb);
}

void ends_post_judge(struct vb_end *end, uint32_t number, const char *what,
		     const struct end_posted *out, uint32_t count, uint32_t bad)
{
	struct vb_test *t = end->ends->t;
	const char *many = count > 1 ? "s" : "";

	if (out->err && out->negative)
		ends_negative_note(end, what, &end->negative_post_told);
	if (bad == POST_EITHER)
		return;
	if (bad == count) {
		vb_check(t, VB_FIND_WRONG_RETURN, !out->err,
			 "end %s qp 0x%x: %s of %u work request%s was refused: "
			 "%s (*bad_wr: number %d)",
			 ends_side(end), number, what, count, many,
			 strerror(-out->err), (int)out->bad);
		return;
	}
	vb_check(t, VB_FIND_WRONG_RETURN, out->err,
		 "end %s qp 0x%x: %s of %u work request%s was accepted, number "
		 "%u must be refused",
		 ends_side(end), number, what, count, many, bad);
	/* A list of one leaves no doubt about which it was. */
	if (count == 1 && out->bad == END_BAD_NONE)
		return;
	vb_check(t, VB_FIND_WRONG_RETURN, out->bad == bad,
		 "end %s qp 0x%x: %s of %u work request%s was refused, *bad_wr "
		 "is %s%d, it must be number %u",
		 ends_side(end), number, what, count, many,
		 out->bad == END_BAD_NONE      ? "not set "
		 : out->bad == END_BAD_FOREIGN ? "none of them "
					       : "number ",
		 (int)out->bad, bad);
}

/* How many of the list the verb took. */
static uint32_t post_taken(const struct end_posted *out, uint32_t count,
			   uint32_t bad)
{
	if (!out->err)
		return count;
	return out->bad < count ? out->bad : bad < count ? bad : 0;
}

/* It ends the case: what the diagnosis needs to know of it. */
static void post_refused(struct vb_qp *qp, const struct vb_wr *wr, int err)
{
	qp->ends->focus = qp;
	qp->ends->refusal = (struct ends_refusal){
		.qp = qp,
		.err = -err,
		.send = wr->send,
		.sges = wr->place.sges,
	};
}

/* Requests without pieces are a thing of their own to some user libraries. */
static const char *post_what(const struct vb_wr *wr)
{
	if (wr->send)
		return wr->place.sges ? "ibv_post_send"
				      : "ibv_post_send without SGEs";
	return wr->place.sges ? "ibv_post_recv" : "ibv_post_recv without SGEs";
}

void ends_post(struct vb_qp *qp, struct vb_wr **wrs, uint32_t count,
	       const struct end_wr *forms, uint32_t bad, uint32_t accept)
{
	struct end_post in = { .qp = qp->id, .count = count };
	struct end_wr *list = ends_list();
	bool send = wrs[0]->send;
	struct end_posted out;
	uint32_t i, taken;
	int err;

	if (qp->gone)
		vb_broken(ends_test(qp), "posting to a QP that was destroyed");
	if (send && bad < count && vb_posts_whole(qp))
		bad = 0;
	if (!send && qp->srq) {
		ends_srq_post(qp->srq, wrs, count, forms, bad, accept);
		return;
	}
	ends_lock(qp->ends);
	for (i = 0; i < count; i++) {
		if (list != forms)
			list[i] = forms[i];
		post_enter(qp, wrs[i], &list[i], accept);
	}
	in.wrs = list;
	ends_unlock(qp->ends);
	if (qp->end->remote && bad == count)
		end_remote_trust(wrs[0]);
	err = send ? qp->end->ops->post_send(qp->end->host, &in, &out)
		   : qp->end->ops->post_recv(qp->end->host, &in, &out);
	if (err)
		vb_broken(ends_test(qp),
			  "end %s: laying out a work request of %u bytes: %s",
			  ends_side(qp->end), wrs[0]->len, strerror(-err));
	ends_lock(qp->ends);
	taken = post_taken(&out, count, bad);
	if (send)
		dashboard_sends_posted(qp->row, taken);
	else
		dashboard_recvs_posted(qp->row, taken);
	if (taken < count)
		post_leave(qp, wrs, count, taken);
	if (out.err && bad == count)
		post_refused(qp, wrs[taken < count ? taken : 0], out.err);
	ends_post_judge(qp->end, qp->qpn,
			post_what(wrs[taken < count ? taken : 0]), &out, count,
			bad);
	ends_unlock(qp->ends);
}

static void post_scribble(struct vb_qp *qp, const struct vb_send_args *args,
			  const struct vb_wr *wr)
{
	struct end_nothing none;

	qp->scribbled |= !args->inlined;
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

void vb_post_own_recv_refused_args(struct vb_qp *qp,
				   const struct vb_recv_args *args)
{
	struct vb_wr *wr = ends_wr_make(qp->end, &qp->wrs, false);
	struct end_post in = { .qp = qp->id, .count = 1, .wrs = ends_list() };
	struct end_posted out;

	wr->refused = true;
	ends_recv_form(qp->pd, args, false, wr, &ends_list()[0]);
	if (qp->end->ops->post_recv(qp->end->host, &in, &out))
		vb_broken(ends_test(qp), "laying out a receive");
	ends_post_judge(qp->end, qp->qpn, "ibv_post_recv", &out, 1, 0);
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
	ends_lock(qp->ends);
	for (i = 0; i < count; i++)
		made[i] = ends_recv_make(qp, &args[i], &ends_list()[i]);
	ends_unlock(qp->ends);
	ends_post(qp, made, count, ends_list(), bad, LEDGER_ACCEPT_ANY);
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
	ends_lock(qp->ends);
	for (i = 0; i < count; i++)
		made[i] = ends_send_make(qp, &args[i], &ends_list()[i]);
	ends_unlock(qp->ends);
	ends_post(qp, made, count, ends_list(), bad, LEDGER_ACCEPT_ANY);
	for (i = 0; i < count && i < bad; i++) {
		wrs[i] = made[i];
		if (args[i].scribble)
			post_scribble(qp, &args[i], made[i]);
	}
}

/* --- Binding ------------------------------------------------------------- */

/* By the verb of its own: the entry goes before it all the same. */
static struct vb_wr *post_bind_verb(struct vb_qp *qp, struct vb_object *mw,
				    const struct vb_bind_args *args)
{
	struct vb_wr *wr = ends_wr_make(qp->end, &qp->wrs, true);
	struct end_bind_mw in = {
		.qp = qp->id,
		.flags = args->unsignaled ? 0 : IBV_SEND_SIGNALED,
		.bind = { .mw = mw->id,
			  .mr = args->mr->id,
			  .offset = args->offset,
			  .len = args->len,
			  .access = args->access },
	};
	struct end_wr form = { .op = IBV_WR_BIND_MW, .flags = in.flags };
	struct end_bound out;

	wr->qp = qp;
	post_enter(qp, wr, &form, LEDGER_ACCEPT_ANY);
	in.wr_id = wr->wr_id;
	if (qp->end->ops->bind_mw(qp->end->host, &in, &out))
		vb_broken(ends_test(qp), "binding a window that is gone");
	if (out.err) {
		post_leave(qp, &wr, 1, 0);
		return NULL;
	}
	mw->rkey = out.rkey;
	mw->bound = args->mr;
	mw->room = args->len;
	mw->address = args->mr->address + args->offset;
	return wr;
}

struct vb_wr *vb_try_bind_mw_args(struct vb_qp *qp, struct vb_object *mw,
				  const struct vb_bind_args *args)
{
	if (mw->mw_type == IBV_MW_TYPE_1)
		return post_bind_verb(qp, mw, args);
	return vb_try_post_send(
		qp, .op = VB_BIND_MW, .mw = mw, .bind_mr = args->mr,
		.bind_offset = args->offset, .bind_len = args->len,
		.bind_access = args->access, .unsignaled = args->unsignaled);
}

struct vb_wr *vb_bind_mw_args(struct vb_qp *qp, struct vb_object *mw,
			      const struct vb_bind_args *args)
{
	struct vb_wr *wr = vb_try_bind_mw_args(qp, mw, args);

	vb_check(ends_test(qp), VB_FIND_WRONG_RETURN, wr,
		 "end %s qp 0x%x: binding a window of %u bytes was refused",
		 ends_side(qp->end), qp->qpn, args->len);
	return wr;
}
