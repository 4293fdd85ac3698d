// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: posting, polling, events. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "base/verbs_names.h"
#include "suite/end/local.h"

/* Guards before and between the pieces, and behind the last. */
static void local_guard_lay(const struct local_mr *mr,
			    const struct end_place *p, const struct iovec *iov)
{
	unsigned char *slot = mr->memory + mr->stride * p->slot;
	unsigned char *from = slot;
	uint32_t i;

	for (i = 0; i < p->sges; i++) {
		unsigned char *piece = iov[i].iov_base;

		pattern_guard_fill(from, (size_t)(piece - from),
				   mr->guard_key ^ (uint64_t)(from - slot));
		from = piece + iov[i].iov_len;
	}
	pattern_guard_fill(from, LOCAL_GUARD,
			   mr->guard_key ^ (uint64_t)(from - slot));
}

/*
 * Lay the buffer of @w out, write what it holds before the post, and point
 * @sge at it.
 */
static int local_prepare(struct end_host *h, const struct end_wr *w, bool send,
			 struct ibv_sge sge[END_SGES_MAX])
{
	struct iovec iov[END_SGES_MAX];
	struct local_mr *mr;
	uint32_t i;
	int err;

	err = local_lay(h, &w->place, &mr, iov);
	if (err || !mr)
		return err;
	if (!mr->region)
		local_guard_lay(mr, &w->place, iov);
	for (i = 0; i < w->place.sges; i++) {
		uint64_t at = (uintptr_t)iov[i].iov_base;

		if (!send || w->result)
			pattern_poison(iov[i].iov_base, iov[i].iov_len);
		/* A region may be known by another address than its own. */
		if (mr->region && !(w->flags & IBV_SEND_INLINE))
			at = at - (uintptr_t)mr->base + mr->address;
		sge[i] = (struct ibv_sge){
			.addr = at,
			.length = (uint32_t)iov[i].iov_len,
			.lkey = i < w->lkeys_count ? w->lkeys[i]
				: w->lkey_set	   ? w->lkey
						   : mr->lkey,
		};
	}
	if (send && !w->result && !w->keep)
		pattern_fill_iov(&w->payload, iov, w->place.sges);
	return 0;
}

/* A window of type 2 is bound by a work request; also with what is refused. */
static int local_form_bind(struct end_host *h, const struct end_wr *w,
			   struct ibv_send_wr *wr)
{
	struct local_object *mw = local_find(h, w->bind.mw, END_MW);
	struct local_object *mr = local_find(h, w->bind.mr, END_MR);

	if (!mw || !mr)
		return -EINVAL;
	wr->bind_mw.mw = mw->mw;
	wr->bind_mw.rkey = w->rkey;
	wr->bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = mr->mr.mr,
		.addr = mr->mr.address + w->bind.offset,
		.length = w->bind.len,
		.mw_access_flags = w->bind.access,
	};
	return 0;
}

static int local_form(struct end_host *h, const struct local_object *qp,
		      const struct end_wr *w, struct ibv_send_wr *wr)
{
	struct local_object *ah;

	wr->wr_id = w->wr_id;
	wr->num_sge = (int)w->place.sges;
	wr->opcode = w->op;
	wr->send_flags = w->flags;
	wr->imm_data = w->imm_data;
	if (qp->qp->qp_type == IBV_QPT_UD) {
		ah = local_find(h, w->ah, END_AH);
		wr->wr.ud.ah = ah ? ah->ah : NULL;
		wr->wr.ud.remote_qpn = w->remote_qpn;
		wr->wr.ud.remote_qkey = w->remote_qkey;
		return w->ah && !ah ? -EINVAL : 0;
	}
	switch (w->op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		wr->wr.rdma.remote_addr = w->remote_address;
		wr->wr.rdma.rkey = w->rkey;
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		wr->wr.atomic.remote_addr = w->remote_address;
		wr->wr.atomic.rkey = w->rkey;
		wr->wr.atomic.compare_add = w->compare_add;
		wr->wr.atomic.swap = w->swap;
		return 0;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		wr->invalidate_rkey = w->rkey;
		return 0;
	case IBV_WR_BIND_MW:
		return local_form_bind(h, w, wr);
	default:
		return 0;
	}
}

/* A bind by a work request leaves it to its user to keep the new key. */
static void local_bound(struct end_host *h, const struct end_post *in,
			uint32_t taken)
{
	uint32_t i;

	for (i = 0; i < taken; i++)
		if (in->wrs[i].op == IBV_WR_BIND_MW)
			h->objects[in->wrs[i].bind.mw]->mw->rkey =
				in->wrs[i].rkey;
}

int local_post_send(struct end_host *h, const struct end_post *in,
		    struct end_posted *out)
{
	static _Thread_local struct ibv_send_wr wr[END_LIST_MAX];
	static _Thread_local struct ibv_sge sge[END_LIST_MAX][END_SGES_MAX];
	struct local_object *qp = local_find(h, in->qp, END_QP);
	struct ibv_send_wr *bad;
	uint32_t i;
	int err;

	if (!qp || !in->count || in->count > END_LIST_MAX)
		return -EINVAL;
	for (i = 0; i < in->count; i++) {
		const struct end_wr *w = &in->wrs[i];

		err = local_prepare(h, w, true, sge[i]);
		if (err)
			return err;
		wr[i] = (struct ibv_send_wr){
			.next = i + 1 < in->count ? &wr[i + 1] : NULL,
			.sg_list = sge[i],
		};
		err = local_form(h, qp, w, &wr[i]);
		if (err)
			return err;
	}
	out->err = qp->builder ? verbs_build_send(&h->at, qp->qp, wr, &bad)
			       : verbs_post_send(&h->at, qp->qp, wr, &bad);
	/* Of a builder the error may be one of ours. */
	out->negative = !qp->builder && verbs_was_negative();
	out->bad = !bad				       ? END_BAD_NONE
		   : bad >= wr && bad < wr + in->count ? (uint32_t)(bad - wr)
						       : END_BAD_FOREIGN;
	local_bound(h, in,
		    !out->err		   ? in->count
		    : out->bad < in->count ? out->bad
					   : 0);
	return 0;
}

/* To a queue pair, or to an SRQ. */
static int local_post_receives(struct end_host *h, const struct end_post *in,
			       struct ibv_qp *qp, struct ibv_srq *srq,
			       struct end_posted *out)
{
	static _Thread_local struct ibv_recv_wr wr[END_LIST_MAX];
	static _Thread_local struct ibv_sge sge[END_LIST_MAX][END_SGES_MAX];
	struct ibv_recv_wr *bad;
	uint32_t i;
	int err;

	if (!in->count || in->count > END_LIST_MAX)
		return -EINVAL;
	for (i = 0; i < in->count; i++) {
		const struct end_wr *w = &in->wrs[i];

		err = local_prepare(h, w, false, sge[i]);
		if (err)
			return err;
		wr[i] = (struct ibv_recv_wr){
			.wr_id = w->wr_id,
			.next = i + 1 < in->count ? &wr[i + 1] : NULL,
			.sg_list = sge[i],
			.num_sge = (int)w->place.sges,
		};
	}
	out->err = srq ? verbs_srq_post(&h->at, srq, wr, &bad)
		       : verbs_post_recv(&h->at, qp, wr, &bad);
	out->negative = verbs_was_negative();
	out->bad = !bad				       ? END_BAD_NONE
		   : bad >= wr && bad < wr + in->count ? (uint32_t)(bad - wr)
						       : END_BAD_FOREIGN;
	return 0;
}

int local_post_recv(struct end_host *h, const struct end_post *in,
		    struct end_posted *out)
{
	struct local_object *qp = local_find(h, in->qp, END_QP);

	return qp ? local_post_receives(h, in, qp->qp, NULL, out) : -EINVAL;
}

int local_post_srq_recv(struct end_host *h, const struct end_post *in,
			struct end_posted *out)
{
	struct local_object *srq = local_find(h, in->qp, END_SRQ);

	return srq ? local_post_receives(h, in, NULL, srq->srq, out) : -EINVAL;
}

int local_bind_mw(struct end_host *h, const struct end_bind_mw *in,
		  struct end_bound *out)
{
	struct local_object *qp = local_find(h, in->qp, END_QP);
	struct local_object *mw = local_find(h, in->bind.mw, END_MW);
	struct local_object *mr = local_find(h, in->bind.mr, END_MR);
	struct ibv_mw_bind bind = { .wr_id = in->wr_id,
				    .send_flags = in->flags };

	if (!qp || !mw || !mr)
		return -EINVAL;
	bind.bind_info = (struct ibv_mw_bind_info){
		.mr = mr->mr.mr,
		.addr = mr->mr.address + in->bind.offset,
		.length = in->bind.len,
		.mw_access_flags = in->bind.access,
	};
	out->err = verbs_mw_bind(&h->at, qp->qp, mw->mw, &bind);
	out->rkey = mw->mw->rkey;
	return 0;
}

static int local_poll_extended(struct end_host *h, struct local_object *cq,
			       uint32_t max, struct end_polled *out)
{
	uint64_t stamps[END_POLL_MAX];
	int i;

	out->count = verbs_cq_poll_ex(&h->at, cq->extended, (int)max, out->wc,
				      cq->stamps ? stamps : NULL);
	for (i = 0; cq->stamps && i < out->count; i++) {
		if (stamps[i] < cq->stamp)
			out->stamps_fell = true;
		cq->stamp = stamps[i];
	}
	return out->count < 0 ? -EIO : 0;
}

int local_poll(struct end_host *h, const struct end_poll *in,
	       struct end_polled *out)
{
	struct local_object *cq = local_find(h, in->cq, END_CQ);

	if (!cq || in->max > END_POLL_MAX)
		return -EINVAL;
	out->stamps_fell = false;
	if (cq->extended)
		return local_poll_extended(h, cq, in->max, out);
	out->count = verbs_cq_poll(&h->at, cq->cq, (int)in->max, out->wc);
	return out->count < 0 ? -EIO : 0;
}

int local_arm(struct end_host *h, const struct end_nothing *in,
	      struct end_nothing *out)
{
	uint32_t id;

	for (id = 1; id <= h->count; id++) {
		struct local_object *o = local_find(h, id, END_CQ);
		int err;

		if (!o || !o->cq->channel || o->manual)
			continue;
		err = verbs_cq_arm(&h->at, o->cq, false);
		if (err)
			return err;
	}
	return 0;
}

int local_drain(struct end_host *h, const struct end_nothing *in,
		struct end_drained *out)
{
	uint32_t id;

	out->count = 0;
	for (id = 1; id <= h->count; id++) {
		struct local_object *o = local_find(h, id, END_CHANNEL);
		void *cookie;
		int err;

		while (o && !o->manual && out->count < END_DRAINED_MAX) {
			err = verbs_channel_take(&h->at, o->channel, &cookie);
			if (err == -EAGAIN)
				break;
			if (err)
				return err;
			out->cq[out->count++] = local_id_of(h, cookie);
		}
	}
	return 0;
}

uint32_t local_id_of(struct end_host *h, const void *object)
{
	uint32_t id;

	for (id = 1; id <= h->count; id++)
		if (h->objects[id] == object ||
		    (!h->objects[id]->gone && h->objects[id]->kind != END_MR &&
		     h->objects[id]->qp == object))
			return id;
	return 0;
}

int local_event(struct end_host *h, const struct end_nothing *in,
		struct end_event *out)
{
	struct ibv_async_event event;
	int err;

	/* As loops around poll() do: who is not told does not look; but once,
	 * for what it says then (AEV-15). */
	if (h->async_asked && !local_readable(h->context->async_fd))
		return -EAGAIN;
	h->async_asked = true;
	err = verbs_async_take(&h->at, h->context, &event);
	if (err)
		return err;
	*out = (struct end_event){ .type = event.event_type };
	switch (verbs_event_about(event.event_type)) {
	case VERBS_ABOUT_QP:
		out->id = local_id_of(h, event.element.qp);
		break;
	case VERBS_ABOUT_CQ:
		out->id = local_id_of(h, event.element.cq);
		break;
	case VERBS_ABOUT_SRQ:
		out->id = local_id_of(h, event.element.srq);
		break;
	default:
		return 0;
	}
	out->of_object = true;
	return 0;
}
