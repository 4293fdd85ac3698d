// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: address handles and shared receive queues, and
 * completion events for whom each one matters. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "suite/end/local.h"

/* Of the GRH that lies before a datagram. */
static int local_ah_from_wc(struct end_host *h, const struct end_ah *in,
			    struct ibv_pd *pd, struct ibv_ah **ah)
{
	struct iovec iov[END_SGES_MAX];
	struct ibv_wc wc = in->wc;
	struct local_mr *mr;
	struct ibv_grh grh;
	int err = local_lay(h, &in->place, &mr, iov);

	if (err)
		return err;
	if (!in->place.sges || iov[0].iov_len < sizeof(grh))
		return -EINVAL;
	memcpy(&grh, iov[0].iov_base, sizeof(grh));
	return verbs_ah_create_from_wc(&h->at, pd, &wc, &grh, in->port, ah);
}

int local_create_ah(struct end_host *h, const struct end_ah *in,
		    struct end_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD), *o;
	struct ibv_ah_attr attr = in->attr;
	int err;

	if (!pd)
		return -EINVAL;
	o = local_add(h, END_AH, &out->id);
	if (!o)
		return -ENOMEM;
	err = in->from_wc ? local_ah_from_wc(h, in, pd->pd, &o->ah)
			  : verbs_ah_create(&h->at, pd->pd, &attr, &o->ah);
	if (err)
		local_drop(h);
	return err;
}

int local_create_srq(struct end_host *h, const struct end_srq *in,
		     struct end_srq_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD), *o;
	struct ibv_srq_init_attr init = { .attr = in->attr };
	int err;

	if (!pd)
		return -EINVAL;
	o = local_add(h, END_SRQ, &out->id);
	if (!o)
		return -ENOMEM;
	init.srq_context = o;
	err = verbs_srq_create(&h->at, pd->pd, &init, &o->srq);
	if (err) {
		local_drop(h);
		return err;
	}
	out->attr = init.attr;
	out->cookie = o->srq->srq_context == o;
	return 0;
}

int local_modify_srq(struct end_host *h, const struct end_srq_modify *in,
		     struct end_result *out)
{
	struct local_object *srq = local_find(h, in->srq, END_SRQ);
	struct ibv_srq_attr attr = in->attr;

	if (!srq)
		return -EINVAL;
	out->err = verbs_srq_modify(&h->at, srq->srq, &attr, in->mask);
	return 0;
}

int local_query_srq(struct end_host *h, const struct end_object *in,
		    struct end_srq_made *out)
{
	struct local_object *srq = local_find(h, in->id, END_SRQ);

	if (!srq)
		return -EINVAL;
	out->id = in->id;
	out->cookie = srq->srq->srq_context == srq;
	return verbs_srq_query(&h->at, srq->srq, &out->attr);
}

int local_resize_cq(struct end_host *h, const struct end_resize *in,
		    struct end_resized *out)
{
	struct local_object *cq = local_find(h, in->cq, END_CQ);

	if (!cq)
		return -EINVAL;
	out->err = verbs_cq_resize(&h->at, cq->cq, in->cqe);
	out->cqe = (uint32_t)cq->cq->cqe;
	return 0;
}

int local_arm_cq(struct end_host *h, const struct end_arm *in,
		 struct end_result *out)
{
	struct local_object *cq = local_find(h, in->cq, END_CQ);

	if (!cq)
		return -EINVAL;
	out->err = verbs_cq_arm(&h->at, cq->cq, in->solicited_only);
	return 0;
}

int local_take_cq_event(struct end_host *h, const struct end_object *in,
			struct end_taken *out)
{
	struct local_object *channel = local_find(h, in->id, END_CHANNEL);
	struct ibv_cq *cq;
	void *cookie;
	int err;

	if (!channel)
		return -EINVAL;
	/* As loops around poll() do: who is not told does not look. */
	if (!local_readable(channel->channel->fd))
		return -EAGAIN;
	err = verbs_channel_get(&h->at, channel->channel, &cq, &cookie);
	if (err)
		return err;
	out->cq = local_id_of(h, cq);
	out->cookie = out->cq && h->objects[out->cq] == cookie;
	return 0;
}

int local_ack_cq_events(struct end_host *h, const struct end_ack *in,
			struct end_nothing *out)
{
	struct local_object *cq = local_find(h, in->cq, END_CQ);

	if (!cq)
		return -EINVAL;
	verbs_cq_ack(&h->at, cq->cq, in->count);
	return 0;
}
