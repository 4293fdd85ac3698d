// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pairs of queue pairs: introduced to each other, connected, connected anew. */
#include <stdlib.h>
#include <string.h>

#include "suite/end/cm.h"
#include "suite/end/ends.h"

static void connect_tell(struct vb_qp *qp, struct vb_qp *peer)
{
	/* The messages of an old life end here and not when the sender alone
	 * was reset: its peer went on receiving what was on the wire. */
	if (qp->out)
		pairing_reset(qp->out);
	if (qp->loose)
		lossy_reset(qp->loose);
	qp->remote = peer->own;
	qp->introduced = true;
	qp->peer = peer;
	qp->origin_known = true;
	qp->origin = (struct pattern_origin){ .end = peer->end->side,
					      .qp_index = peer->index,
					      .generation = peer->generation };
}

static struct vb_pair *connect_introduce(struct vb_qp *a, struct vb_qp *b)
{
	struct vb_pair *p = calloc(1, sizeof(*p));

	if (!p || a->ends->pairs_count == ENDS_QPS_MAX)
		vb_broken(ends_test(a), "no memory for a pair");
	a->ends->pairs[a->ends->pairs_count++] = p;
	p->a = a;
	p->b = b;
	connect_tell(a, b);
	connect_tell(b, a);
	return p;
}

struct vb_pair *vb_introduce(struct vb_qp *a, struct vb_qp *b)
{
	if (cm_connects(ends_test(a), a->type))
		cm_skip(ends_test(a), "connects by hand");
	return connect_introduce(a, b);
}

/* What both are told, overridden by what the one is told. */
static struct vb_attr_args connect_merge(const struct vb_attr_args *both,
					 const struct vb_attr_args *one)
{
	struct vb_attr_args m = *both;

#define CONNECT_VALUE(name) \
	if (one->name.set)  \
	m.name = one->name
	CONNECT_VALUE(pkey_index);
	CONNECT_VALUE(port);
	CONNECT_VALUE(access);
	CONNECT_VALUE(qkey);
	CONNECT_VALUE(mtu);
	CONNECT_VALUE(dest_qpn);
	CONNECT_VALUE(rq_psn);
	CONNECT_VALUE(sq_psn);
	CONNECT_VALUE(gid_index);
	CONNECT_VALUE(dlid);
	CONNECT_VALUE(is_global);
	CONNECT_VALUE(min_rnr_timer);
	CONNECT_VALUE(timeout);
	CONNECT_VALUE(retry);
	CONNECT_VALUE(rnr_retry);
	CONNECT_VALUE(max_rd_atomic);
	CONNECT_VALUE(max_dest_rd_atomic);
#undef CONNECT_VALUE
	if (one->dgid)
		m.dgid = one->dgid;
	return m;
}

/* Both step by step: neither is in RTS before both are in RTR, which is the
 * barrier that the first packet needs. */
static void connect_bring(struct vb_pair *p, enum ibv_qp_state state,
			  const struct vb_attr_args *a,
			  const struct vb_attr_args *b)
{
	static const enum ibv_qp_state way[] = { IBV_QPS_INIT, IBV_QPS_RTR,
						 IBV_QPS_RTS };
	size_t i;

	if (cm_connects(ends_test(p->a), p->a->type)) {
		cm_connect(p, a, b);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(way) && way[i] <= state; i++) {
		ends_bring(p->a, way[i], a);
		ends_bring(p->b, way[i], b);
	}
}

struct vb_pair *vb_join(struct vb_qp *a, struct vb_qp *b)
{
	const struct vb_attr_args none = { 0 };
	struct vb_pair *p;

	if (a->type == IBV_QPT_UC && cm_connects(ends_test(a), a->type))
		cm_skip(ends_test(a), "UC has no connections there");
	p = connect_introduce(a, b);
	connect_bring(p, IBV_QPS_RTS, &none, &none);
	return p;
}

struct vb_pair *vb_connect_args(struct vb_test *t,
				const struct vb_connect_args *args)
{
	const struct vb_qp_args qp = {
		.type = args->type,
		.depth = args->depth,
		.send_depth = args->send_depth,
		.recv_depth = args->recv_depth,
		.sges = args->sges,
		.send_sges = args->send_sges,
		.recv_sges = args->recv_sges,
		.inline_max = args->inline_max,
		.sig_all = args->sig_all,
		.cq = args->cq,
		.cqe = args->cqe,
		.path = args->path,
		.srq = args->srq_a,
		.pd = args->pd_a,
	};
	struct vb_qp_args qp_b = qp;
	struct vb_attr_args a = connect_merge(&args->attr, &args->attr_a);
	struct vb_attr_args b = connect_merge(&args->attr, &args->attr_b);
	struct vb_qp *near, *far;
	struct vb_pair *p;

	if (cm_connects(t, args->type))
		cm_require(t, args);
	qp_b.srq = args->srq_b;
	qp_b.pd = args->pd_b;
	near = vb_create_qp_args(vb_a(t), &qp);
	far = vb_create_qp_args(vb_b(t), &qp_b);
	p = connect_introduce(near, far);
	connect_bring(p, args->state ? args->state : IBV_QPS_RTS, &a, &b);
	return p;
}

void vb_reconnect(struct vb_pair *p)
{
	/* What was set besides the defaults stays what it was. */
	struct vb_attr_args args[2];
	struct vb_qp *qps[2] = { p->a, p->b };
	struct vb_attr_args none = { 0 };
	unsigned i;

	for (i = 0; i < 2; i++) {
		const struct ibv_qp_attr *s = &qps[i]->set;

		args[i] = none;
		if (qps[i]->set_mask & IBV_QP_TIMEOUT)
			args[i].timeout = VB_SET(s->timeout);
		if (qps[i]->set_mask & IBV_QP_RETRY_CNT)
			args[i].retry = VB_SET(s->retry_cnt);
		if (qps[i]->set_mask & IBV_QP_RNR_RETRY)
			args[i].rnr_retry = VB_SET(s->rnr_retry);
		if (qps[i]->set_mask & IBV_QP_MIN_RNR_TIMER)
			args[i].min_rnr_timer = VB_SET(s->min_rnr_timer);
	}
	if (cm_connects(ends_test(p->a), p->a->type))
		cm_disconnect(p);
	ends_bring(p->a, IBV_QPS_RESET, &none);
	ends_bring(p->b, IBV_QPS_RESET, &none);
	connect_tell(p->a, p->b);
	connect_tell(p->b, p->a);
	connect_bring(p, IBV_QPS_RTS, &args[0], &args[1]);
}
