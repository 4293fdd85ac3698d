// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The end in this process: objects made, changed and destroyed. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

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

/* 0 and the CQ, made in the one way or the other. */
static int local_cq_make(struct end_host *h, const struct end_cq *in,
			 struct ibv_comp_channel *channel,
			 struct local_object *o)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = (uint32_t)in->cqe,
		.cq_context = o,
		.channel = channel,
		.comp_vector = (uint32_t)in->vector,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	int err;

	if (!in->extended)
		return verbs_cq_create(&h->at, h->context, in->cqe, o, channel,
				       in->vector, &o->cq);
	if (in->stamps)
		init.wc_flags |= IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	err = verbs_cq_create_ex(&h->at, h->context, &init, &o->extended);
	if (!err)
		o->cq = ibv_cq_ex_to_cq(o->extended);
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
	o->manual = in->manual;
	o->stamps = in->stamps;
	err = local_cq_make(h, in, channel ? channel->channel : NULL, o);
	if (err) {
		local_drop(h);
		return err;
	}
	if (channel && in->manual)
		channel->manual = true;
	out->cqe = (uint32_t)o->cq->cqe;
	return 0;
}

/* What the builder functions of each type of queue pair may be used for. */
static uint64_t local_qp_builders(enum ibv_qp_type type, bool atomics,
				  bool windows)
{
	uint64_t ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (type == IBV_QPT_UD)
		return ops;
	ops |= IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	if (windows)
		ops |= IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV;
	if (type != IBV_QPT_RC)
		return ops;
	if (windows)
		ops |= IBV_QP_EX_WITH_SEND_WITH_INV;
	ops |= IBV_QP_EX_WITH_RDMA_READ;
	if (atomics)
		ops |= IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		       IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	return ops;
}

static int local_qp_make(struct end_host *h, struct ibv_pd *pd,
			 struct ibv_qp_init_attr *init, bool builder,
			 struct ibv_qp **qp)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = init->qp_context,
		.send_cq = init->send_cq,
		.recv_cq = init->recv_cq,
		.srq = init->srq,
		.cap = init->cap,
		.qp_type = init->qp_type,
		.sq_sig_all = init->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
	};
	struct ibv_device_attr device;
	int err;

	if (!builder)
		return verbs_qp_create(&h->at, pd, init, qp);
	err = verbs_device_query(&h->at, h->context, &device);
	if (err)
		return err;
	ex.send_ops_flags = local_qp_builders(
		init->qp_type, device.atomic_cap != IBV_ATOMIC_NONE,
		device.max_mw > 0);
	err = verbs_qp_create_ex(&h->at, h->context, &ex, qp);
	init->cap = ex.cap;
	return err;
}

int local_create_qp(struct end_host *h, const struct end_qp *in,
		    struct end_qp_made *out)
{
	struct local_object *pd = local_find(h, in->pd, END_PD);
	struct local_object *send = local_find(h, in->send_cq, END_CQ);
	struct local_object *recv = local_find(h, in->recv_cq, END_CQ), *o;
	struct local_object *srq = local_find(h, in->srq, END_SRQ);
	struct ibv_qp_init_attr init;
	int err;

	if (!pd || !send || !recv || (in->srq && !srq))
		return -EINVAL;
	o = local_add(h, END_QP, &out->id);
	if (!o)
		return -ENOMEM;
	init = (struct ibv_qp_init_attr){ .qp_context = o,
					  .send_cq = send->cq,
					  .recv_cq = recv->cq,
					  .srq = srq ? srq->srq : NULL,
					  .cap = in->cap,
					  .qp_type = in->type,
					  .sq_sig_all = in->sig_all };
	o->builder = in->builder;
	err = local_qp_make(h, pd->pd, &init, in->builder, &o->qp);
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
	out->negative = m.negative;
	out->now = m.now;
	return m.query_err;
}

static uint32_t local_named(struct end_host *h, const void *object)
{
	uint32_t id = object ? local_id_of(h, object) : 0;

	return object && !id ? END_NOT_OURS : id;
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
	out->send_cq = local_named(h, out->init.send_cq);
	out->recv_cq = local_named(h, out->init.recv_cq);
	out->srq = local_named(h, out->init.srq);
	out->cookie = out->init.qp_context == qp && qp->qp->qp_context == qp;
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
		if (err || !o->mr.transient || !o->mr.memory)
			break;
		(void)madvise(o->mr.memory, o->mr.len, MADV_DONTNEED);
		o->mr.given_back = true;
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
	case END_MW:
		err = verbs_mw_dealloc(&h->at, o->mw);
		break;
	case END_AH:
		err = verbs_ah_destroy(&h->at, o->ah);
		break;
	case END_SRQ:
		err = verbs_srq_destroy(&h->at, o->srq);
		break;
	case END_CM:
		err = local_cm_destroy(h, o->cm);
		break;
	default:
		err = -EINVAL;
	}
	if (!err)
		o->gone = true;
	return err;
}
