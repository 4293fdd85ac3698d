// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: posting, polling, events. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "suite/end/local.h"

/*
 * Lay the buffer of @w out, write what it holds before the post, and point
 * @sge at it.
 */
static int local_prepare(struct end_host *h, const struct end_wr *w, bool send,
			 struct ibv_sge sge[END_SGES_MAX])
{
	struct iovec iov[END_SGES_MAX];
	struct local_mr *mr;
	unsigned char *from, *slot;
	uint32_t i;
	int err;

	err = local_lay(h, &w->place, &mr, iov);
	if (err)
		return err;
	slot = mr->memory + mr->stride * w->place.slot;
	from = slot;
	for (i = 0; i < w->place.sges; i++) {
		unsigned char *piece = iov[i].iov_base;

		pattern_guard_fill(from, (size_t)(piece - from),
				   mr->guard_key ^ (uint64_t)(from - slot));
		if (!send)
			pattern_poison(piece, iov[i].iov_len);
		from = piece + iov[i].iov_len;
		sge[i] = (struct ibv_sge){
			.addr = (uintptr_t)piece,
			.length = (uint32_t)iov[i].iov_len,
			.lkey = w->lkey_set ? w->lkey : mr->lkey,
		};
	}
	pattern_guard_fill(from, LOCAL_GUARD,
			   mr->guard_key ^ (uint64_t)(from - slot));
	if (send)
		pattern_fill_iov(&w->payload, iov, w->place.sges);
	return 0;
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
			.wr_id = w->wr_id,
			.next = i + 1 < in->count ? &wr[i + 1] : NULL,
			.sg_list = sge[i],
			.num_sge = (int)w->place.sges,
			.opcode = w->op,
			.send_flags = w->flags,
			.imm_data = w->imm_data,
		};
	}
	out->err = verbs_post_send(&h->at, qp->qp, wr, &bad);
	out->bad = !bad				       ? END_BAD_NONE
		   : bad >= wr && bad < wr + in->count ? (uint32_t)(bad - wr)
						       : END_BAD_FOREIGN;
	return 0;
}

int local_post_recv(struct end_host *h, const struct end_post *in,
		    struct end_posted *out)
{
	static _Thread_local struct ibv_recv_wr wr[END_LIST_MAX];
	static _Thread_local struct ibv_sge sge[END_LIST_MAX][END_SGES_MAX];
	struct local_object *qp = local_find(h, in->qp, END_QP);
	struct ibv_recv_wr *bad;
	uint32_t i;
	int err;

	if (!qp || !in->count || in->count > END_LIST_MAX)
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
	out->err = verbs_post_recv(&h->at, qp->qp, wr, &bad);
	out->bad = !bad				       ? END_BAD_NONE
		   : bad >= wr && bad < wr + in->count ? (uint32_t)(bad - wr)
						       : END_BAD_FOREIGN;
	return 0;
}

int local_poll(struct end_host *h, const struct end_poll *in,
	       struct end_polled *out)
{
	struct local_object *cq = local_find(h, in->cq, END_CQ);

	if (!cq || in->max > END_POLL_MAX)
		return -EINVAL;
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

		if (!o || !o->cq->channel)
			continue;
		err = verbs_cq_arm(&h->at, o->cq, false);
		if (err)
			return err;
	}
	return 0;
}

int local_drain(struct end_host *h, const struct end_nothing *in,
		struct end_count *out)
{
	uint32_t id;

	out->count = 0;
	for (id = 1; id <= h->count; id++) {
		struct local_object *o = local_find(h, id, END_CHANNEL);
		void *cookie;
		int err;

		while (o) {
			err = verbs_channel_take(&h->at, o->channel, &cookie);
			if (err == -EAGAIN)
				break;
			if (err)
				return err;
			out->count++;
		}
	}
	return 0;
}

/* The id of the object whose cookie or pointer @o is. */
static uint32_t local_id_of(struct end_host *h, const void *object)
{
	uint32_t id;

	for (id = 1; id <= h->count; id++)
		if (h->objects[id] == object ||
		    (!h->objects[id]->gone && h->objects[id]->qp == object))
			return id;
	return 0;
}

int local_event(struct end_host *h, const struct end_nothing *in,
		struct end_event *out)
{
	struct ibv_async_event event;
	int err = verbs_async_take(&h->at, h->context, &event);

	if (err)
		return err;
	*out = (struct end_event){ .type = event.event_type };
	switch (event.event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		out->of_object = true;
		out->id = local_id_of(h, event.element.qp);
		break;
	case IBV_EVENT_CQ_ERR:
		out->of_object = true;
		out->id = local_id_of(h, event.element.cq);
		break;
	default:
		break;
	}
	return 0;
}
