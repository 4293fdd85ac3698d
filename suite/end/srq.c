// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues: made, changed, posted to, and their events. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "suite/end/ends.h"
#include "suite/end/remote.h"

static int srq_create(struct vb_object *pd, const struct vb_srq_args *args,
		      struct end_srq *in, struct end_srq_made *out)
{
	*in = (struct end_srq){
		.pd = pd->id,
		.attr = { .max_wr = args->depth.set
					    ? (uint32_t)args->depth.value
					    : (uint32_t)pd->end->ends->t
						      ->options->inflight,
			  .max_sge = args->sges ? args->sges : 1,
			  .srq_limit = args->limit },
	};
	return pd->end->ops->create_srq(pd->end->host, in, out);
}

static void srq_books_open(struct vb_object *o)
{
	struct ledger_queue_spec spec = {
		.end = o->end->side,
		.qp_index = o->index,
		.generation = 1,
		.kind = WRID_SRQ,
		.qp_type = IBV_QPT_RC,
		/* It may be resized. */
		.entries = 4 * o->srq_attr.max_wr + 64,
	};

	if (ledger_queue_open(o->end->ends->ledger, &spec, &o->queue))
		vb_broken(o->end->ends->t, "the ledger of an SRQ");
}

struct vb_object *vb_create_srq_args(struct vb_object *pd,
				     const struct vb_srq_args *args)
{
	struct vb_end *e = pd->end;
	struct end_srq_made out;
	struct end_srq in;
	struct vb_object *o;
	int err = srq_create(pd, args, &in, &out);

	if (err)
		vb_broken(e->ends->t, "end %s: creating an SRQ of %u: %s",
			  ends_side(e), in.attr.max_wr, strerror(-err));
	o = ends_object_add(e, END_SRQ, out.id);
	o->in_pd = pd;
	o->srq_attr = out.attr;
	o->index = e->srqs++;
	srq_books_open(o);
	vb_check(e->ends->t, VB_FIND_WRONG_ATTRIBUTE, out.cookie,
		 "end %s: an SRQ was created without the srq_context that was "
		 "given",
		 ends_side(e));
	vb_check(e->ends->t, VB_FIND_WRONG_ATTRIBUTE,
		 out.attr.max_wr >= in.attr.max_wr &&
			 out.attr.max_sge >= in.attr.max_sge,
		 "end %s: an SRQ of %u with %u SGEs was asked for, it has "
		 "%u/%u",
		 ends_side(e), in.attr.max_wr, in.attr.max_sge, out.attr.max_wr,
		 out.attr.max_sge);
	return o;
}

void vb_create_srq_refused_args(struct vb_object *pd,
				const struct vb_srq_args *args)
{
	struct end_srq_made out;
	struct end_srq in;
	int err = srq_create(pd, args, &in, &out);

	vb_check(pd->end->ends->t, VB_FIND_WRONG_RETURN, err,
		 "end %s: an SRQ of %u with %u SGEs was created, it must be "
		 "refused",
		 ends_side(pd->end), in.attr.max_wr, in.attr.max_sge);
}

const struct ibv_srq_attr *vb_srq_attr(const struct vb_object *srq)
{
	return &srq->srq_attr;
}

struct ibv_srq_attr vb_query_srq(struct vb_object *srq)
{
	struct end_object in = { .id = srq->id };
	struct end_srq_made out;
	int err = srq->end->ops->query_srq(srq->end->host, &in, &out);

	if (err)
		vb_fail(srq->end->ends->t, VB_FIND_WRONG_RETURN,
			"end %s: an SRQ cannot be queried: %s",
			ends_side(srq->end), strerror(-err));
	return out.attr;
}

static int srq_modify(struct vb_object *srq, unsigned mask, uint32_t max_wr,
		      uint32_t limit)
{
	struct end_srq_modify in = {
		.srq = srq->id,
		.mask = mask,
		.attr = { .max_wr = max_wr, .srq_limit = limit },
	};
	struct end_result out;

	/* What came before counts as before. */
	ends_progress(srq->end->ends);
	if (srq->end->ops->modify_srq(srq->end->host, &in, &out))
		vb_broken(srq->end->ends->t, "modifying an SRQ that is gone");
	return out.err;
}

void vb_arm_srq(struct vb_object *srq, uint32_t limit)
{
	struct vb_test *t = srq->end->ends->t;
	int err = srq_modify(srq, IBV_SRQ_LIMIT, 0, limit);
	uint32_t now;

	vb_check(t, VB_FIND_WRONG_RETURN, !err,
		 "end %s: an SRQ of %u refused the limit %u: %s",
		 ends_side(srq->end), srq->srq_attr.max_wr, limit,
		 strerror(-err));
	srq->limits_armed += limit > 0;
	if (limit && vb_srq_left(srq) < limit)
		return; /* it may have fired already, and read 0 */
	now = vb_query_srq(srq).srq_limit;
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, now == limit,
		 "end %s: the SRQ's limit was set to %u, it reads %u",
		 ends_side(srq->end), limit, now);
}

void vb_modify_srq_refused(struct vb_object *srq, unsigned mask,
			   uint32_t max_wr, uint32_t limit)
{
	struct vb_test *t = srq->end->ends->t;
	struct ibv_srq_attr before = vb_query_srq(srq), after;
	int err = srq_modify(srq, mask, max_wr, limit);

	vb_check(t, VB_FIND_WRONG_RETURN, err,
		 "end %s: an SRQ of %u took mask 0x%x, max_wr %u, limit %u, it "
		 "must be refused",
		 ends_side(srq->end), srq->srq_attr.max_wr, mask, max_wr,
		 limit);
	after = vb_query_srq(srq);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 after.max_wr == before.max_wr &&
			 after.srq_limit == before.srq_limit,
		 "end %s: a refused modify changed an SRQ from max_wr %u, "
		 "limit %u to %u, %u",
		 ends_side(srq->end), before.max_wr, before.srq_limit,
		 after.max_wr, after.srq_limit);
}

bool vb_try_resize_srq(struct vb_object *srq, uint32_t max_wr)
{
	struct vb_test *t = srq->end->ends->t;
	struct ibv_srq_attr now;

	if (srq_modify(srq, IBV_SRQ_MAX_WR, max_wr, 0))
		return false;
	now = vb_query_srq(srq);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, now.max_wr >= max_wr,
		 "end %s: an SRQ was resized to %u, it reads %u",
		 ends_side(srq->end), max_wr, now.max_wr);
	srq->srq_attr.max_wr = now.max_wr;
	return true;
}

uint32_t vb_srq_left(const struct vb_object *srq)
{
	return (uint32_t)ledger_queue_outstanding(srq->queue);
}

/* --- Posting ------------------------------------------------------------- */

static void srq_enter(struct vb_object *srq, struct vb_wr *wr,
		      struct end_wr *form, uint32_t accept)
{
	struct ledger_post post = { .len = wr->len,
				    .accept = accept,
				    .user = wr };
	struct ledger_entry *entry;

	if (ledger_post(srq->queue, &post, &entry))
		vb_broken(srq->end->ends->t,
			  "end %s: more receives outstanding than the SRQ's "
			  "books hold",
			  ends_side(srq->end));
	wr->srq = srq;
	wr->qp = NULL;
	wr->wr_id = form->wr_id = entry->wr_id;
	wr->sequence = entry->sequence;
	wr->place = form->place;
	wr->posted_ns = entry->posted_ns = clock_now_ns();
}

void ends_srq_post(struct vb_object *srq, struct vb_wr **wrs, uint32_t count,
		   const struct end_wr *forms, uint32_t bad, uint32_t accept)
{
	struct vb_end *e = srq->end;
	struct end_post in = { .qp = srq->id, .count = count };
	struct end_wr *list = ends_list();
	struct end_posted out;
	uint32_t i, taken;
	int err;

	ends_lock(e->ends);
	for (i = 0; i < count; i++) {
		if (list != forms)
			list[i] = forms[i];
		srq_enter(srq, wrs[i], &list[i], accept);
	}
	ends_unlock(e->ends);
	in.wrs = list;
	if (e->remote && bad == count)
		end_remote_trust(wrs[0]);
	err = e->ops->post_srq_recv(e->host, &in, &out);
	if (err)
		vb_broken(e->ends->t, "end %s: laying out a receive: %s",
			  ends_side(e), strerror(-err));
	ends_lock(e->ends);
	taken = !out.err	  ? count
		: out.bad < count ? out.bad
				  : (bad < count ? bad : 0);
	if (taken < count)
		ledger_refuse(
			ledger_queue_entry(srq->queue, wrs[taken]->sequence));
	for (i = taken; i < count; i++)
		wrs[i]->refused = true;
	ends_post_judge(e, srq->id, "ibv_post_srq_recv", &out, count, bad);
	ends_unlock(e->ends);
}

struct vb_wr *vb_post_srq_recv_args(struct vb_object *srq,
				    const struct vb_recv_args *args)
{
	struct vb_wr *wr;

	ends_lock(srq->end->ends);
	wr = ends_wr_make(srq->end, &srq->wrs, false);
	ends_recv_form(srq->in_pd, args, false, wr, &ends_list()[0]);
	ends_unlock(srq->end->ends);
	ends_srq_post(srq, &wr, 1, ends_list(), 1, LEDGER_ACCEPT_ANY);
	return wr;
}

void vb_post_srq_recv_refused_args(struct vb_object *srq,
				   const struct vb_recv_args *args)
{
	struct vb_wr *wr = ends_wr_make(srq->end, &srq->wrs, false);

	ends_recv_form(srq->in_pd, args, false, wr, &ends_list()[0]);
	ends_srq_post(srq, &wr, 1, ends_list(), 0, LEDGER_ACCEPT_ANY);
}

/* --- Its end ------------------------------------------------------------- */

static void srq_expect_guards(struct vb_object *srq)
{
	struct vb_wr *wr;
	struct complaint c;

	for (wr = srq->wrs; wr; wr = wr->next) {
		const struct end_verify in = { .place = wr->place,
					       .guards_only = true };

		if (!wr->refused && !ends_holds(wr, &in, &c))
			ends_complain(srq->end->ends, &c);
	}
}

void ends_srq_settle(struct vb_object *srq)
{
	struct vb_test *t = srq->end->ends->t;

	srq_expect_guards(srq);
	vb_check(t, VB_FIND_WRONG_EVENT,
		 srq->limit_event.came <= srq->limits_armed,
		 "end %s: the SRQ was armed %u times, its limit event came %u "
		 "times",
		 ends_side(srq->end), srq->limits_armed, srq->limit_event.came);
}

static bool srq_limit_came(void *arg)
{
	const struct vb_object *srq = arg;

	return srq->limit_event.came > srq->limit_event.expected;
}

void vb_expect_srq_limit(struct vb_object *srq)
{
	struct vb_test *t = srq->end->ends->t;
	uint32_t now;

	vb_check(t, VB_FIND_WRONG_EVENT,
		 ends_wait(srq->end->ends, vb_deadline(t, ENDS_SLACK_MS),
			   srq_limit_came, srq),
		 "end %s: the SRQ's limit event has not come; %u receives are "
		 "left",
		 ends_side(srq->end), vb_srq_left(srq));
	srq->limit_event.expected++;
	now = vb_query_srq(srq).srq_limit;
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, now == 0,
		 "end %s: after the SRQ's limit event the limit reads %u, must "
		 "be 0",
		 ends_side(srq->end), now);
}
