// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: objects made, changed and destroyed. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "suite/end/local.h"

int local_create_pd(struct end_host *h, const struct end_nothing *in,
		    struct end_made *out)
{
	struct local_object *o = local_add(h, END_PD, &out->id);
	int err;

	if (!o)
		return -ENOMEM;
	err = verbs_pd_alloc(&h->at, h->context, &o->pd);
	if (err)
		local_drop(h);
	return err;
}

static size_t local_stride(const struct end_mr *in)
{
	size_t inner = in->room + (size_t)in->sges * LOCAL_GAP;

	return (inner + 2 * LOCAL_GUARD + 63) / 64 * 64;
}

int local_create_mr(struct end_host *h, const struct end_mr *in,
		    struct end_mr_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD), *o;
	struct local_mr *mr;
	int err;

	if (!pd || !in->slots || in->sges > END_SGES_MAX)
		return -EINVAL;
	o = local_add(h, END_MR, &out->id);
	if (!o)
		return -ENOMEM;
	mr = &o->mr;
	*mr = (struct local_mr){ .stride = local_stride(in),
				 .slots = in->slots,
				 .room = in->room,
				 .sges = in->sges,
				 .transient = in->transient };
	mr->guard_key = hash_mix64(h->seed ^ hash_mix64(out->id + 1));
	mr->len = mr->stride * in->slots;
	mr->memory = mmap(NULL, mr->len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	err = mr->memory == MAP_FAILED ? -errno : 0;
	if (err)
		goto err_drop;
	err = verbs_mr_reg(&h->at, pd->pd, mr->memory, mr->len, in->access,
			   &mr->mr);
	if (err)
		goto err_unmap;
	out->lkey = mr->lkey = mr->mr->lkey;
	out->rkey = mr->mr->rkey;
	out->address = (uintptr_t)mr->memory;
	return 0;

err_unmap:
	munmap(mr->memory, mr->len);
err_drop:
	local_drop(h);
	return err;
}

int local_create_channel(struct end_host *h, const struct end_nothing *in,
			 struct end_made *out)
{
	struct local_object *o = local_add(h, END_CHANNEL, &out->id);
	int err;

	if (!o)
		return -ENOMEM;
	err = verbs_channel_create(&h->at, h->context, &o->channel);
	if (err)
		goto err_drop;
	err = local_watch(h, o->channel->fd);
	if (err)
		goto err_destroy;
	return 0;

err_destroy:
	(void)verbs_channel_destroy(&h->at, o->channel);
err_drop:
	local_drop(h);
	return err;
}

int local_create_cq(struct end_host *h, const struct end_cq *in,
		    struct end_cq_made *out)
{
	struct local_object *channel = NULL, *o;
	int err;

	if (in->channel) {
		channel = local_find(h, in->channel, END_CHANNEL);
		if (!channel)
			return -EINVAL;
	}
	o = local_add(h, END_CQ, &out->id);
	if (!o)
		return -ENOMEM;
	err = verbs_cq_create(&h->at, h->context, in->cqe, o,
			      channel ? channel->channel : NULL, in->vector,
			      &o->cq);
	if (err) {
		local_drop(h);
		return err;
	}
	out->cqe = (uint32_t)o->cq->cqe;
	return 0;
}

int local_create_qp(struct end_host *h, const struct end_qp *in,
		    struct end_qp_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD);
	struct local_object *send = local_find(h, in->send_cq, END_CQ);
	struct local_object *recv = local_find(h, in->recv_cq, END_CQ), *o;
	struct ibv_qp_init_attr init;
	int err;

	if (!pd || !send || !recv)
		return -EINVAL;
	o = local_add(h, END_QP, &out->id);
	if (!o)
		return -ENOMEM;
	init = (struct ibv_qp_init_attr){ .qp_context = o,
					  .send_cq = send->cq,
					  .recv_cq = recv->cq,
					  .cap = in->cap,
					  .qp_type = in->type,
					  .sq_sig_all = in->sig_all };
	err = verbs_qp_create(&h->at, pd->pd, &init, &o->qp);
	if (err) {
		local_drop(h);
		return err;
	}
	out->qpn = o->qp->qp_num;
	out->cap = init.cap;
	return 0;
}

int local_modify_qp(struct end_host *h, const struct end_modify *in,
		    struct end_modified *out)
{
	struct local_object *qp = local_find(h, in->qp, END_QP);
	struct ibv_qp_attr attr = in->attr;
	struct verbs_modified m;

	if (!qp)
		return -EINVAL;
	verbs_qp_modify(&h->at, qp->qp, &attr, in->mask, &m);
	out->err = m.err;
	out->now = m.now;
	return m.query_err;
}

int local_query_qp(struct end_host *h, const struct end_object *in,
		   struct end_queried *out)
{
	const unsigned all =
		IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX |
		IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV | IBV_QP_PATH_MTU |
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |
		IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CAP |
		IBV_QP_DEST_QPN;
	struct local_object *qp = local_find(h, in->id, END_QP);
	int err;

	if (!qp)
		return -EINVAL;
	err = verbs_qp_query(&h->at, qp->qp, all, &out->now, &out->init);
	out->init.qp_context = NULL;
	out->init.send_cq = out->init.recv_cq = NULL;
	out->init.srq = NULL;
	return err;
}

int local_destroy(struct end_host *h, const struct end_object *in,
		  struct end_nothing *out)
{
	struct local_object *o;
	int err;

	if (in->id == 0 || in->id > h->count || h->objects[in->id]->gone)
		return -EINVAL;
	o = h->objects[in->id];
	switch (o->kind) {
	case END_PD:
		err = verbs_pd_dealloc(&h->at, o->pd);
		break;
	case END_MR:
		err = verbs_mr_dereg(&h->at, o->mr.mr);
		/* The addresses stay ours, the memory goes back. */
		if (!err && o->mr.transient)
			(void)madvise(o->mr.memory, o->mr.len, MADV_DONTNEED);
		break;
	case END_CHANNEL:
		err = verbs_channel_destroy(&h->at, o->channel);
		break;
	case END_CQ:
		err = verbs_cq_destroy(&h->at, o->cq);
		break;
	case END_QP:
		err = verbs_qp_destroy(&h->at, o->qp);
		break;
	default:
		err = -EINVAL;
	}
	if (!err)
		o->gone = true;
	return err;
}
