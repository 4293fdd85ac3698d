// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the connection manager chose: taken over step by step, judged against
 * what each end knows of the other, and shown.
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/verbs_names.h"
#include "suite/end/cm.h"

/*
 * The CM leaves some things to its users: rights, the RNR timer, of which it
 * has only code 0, and retries where each side wants its own.
 */
static void attr_overlay(const struct vb_qp *qp, enum ibv_qp_state state,
			 const struct vb_attr_args *args,
			 struct ibv_qp_attr *attr)
{
	const struct vb_options *o = ends_test(qp)->options;

#define ATTR_SAID(name, field) \
	if (args->name.set)    \
	attr->field = (__typeof__(attr->field))args->name.value
	switch (state) {
	case IBV_QPS_INIT:
		attr->qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
					IBV_ACCESS_REMOTE_READ |
					vb_atomic_access(qp->pd);
		ATTR_SAID(access, qp_access_flags);
		break;
	case IBV_QPS_RTR:
		attr->min_rnr_timer = (uint8_t)o->min_rnr_timer;
		ATTR_SAID(min_rnr_timer, min_rnr_timer);
		break;
	default:
		ATTR_SAID(timeout, timeout);
		ATTR_SAID(retry, retry_cnt);
		ATTR_SAID(rnr_retry, rnr_retry);
		ATTR_SAID(max_rd_atomic, max_rd_atomic);
	}
#undef ATTR_SAID
}

void cm_step(struct vb_qp *qp, enum ibv_qp_state state,
	     const struct vb_attr_args *args)
{
	struct end_cm_ask ask = { .id = qp->cm_id, .state = state };
	struct vb_test *t = ends_test(qp);
	struct end_cm_attr out;
	int err = qp->end->ops->cm_attr(qp->end->host, &ask, &out);

	if (err || out.err)
		vb_broken(t,
			  "end %s: connecting through the CM: attributes for "
			  "%s: %s",
			  ends_side(qp->end), verbs_qp_state_name(state),
			  strerror(err ? -err : -out.err));
	attr_overlay(qp, state, args, &out.attr);
	ends_bring_by(qp, state, &out.attr, out.mask);
}

/* The rest of the case goes by what the CM said. */
static void attr_learn(struct vb_qp *qp, const struct ibv_qp_attr *now)
{
	struct exchange_params *far = &qp->remote;

	far->psn = now->rq_psn;
	qp->own.psn = now->sq_psn;
	far->mtu = qp->own.mtu = verbs_mtu_bytes(now->path_mtu);
	qp->own.pkey_index = now->pkey_index;
	if (now->ah_attr.is_global)
		qp->own.gid_index = now->ah_attr.grh.sgid_index;
	memcpy(far->gid, &now->ah_attr.grh.dgid, sizeof(far->gid));
}

static void attr_equal(struct vb_qp *qp, const char *what, uint32_t is,
		       uint32_t must)
{
	vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE, is == must,
		 "end %s qp 0x%x: the CM chose %s 0x%x, the other end has 0x%x",
		 ends_side(qp->end), qp->qpn, what, is, must);
}

/* @x against what is so at the other side. */
static void attr_judge_side(struct vb_qp *qp, const struct ibv_qp_attr *x,
			    const struct ibv_qp_attr *y)
{
	const struct vb_qp *peer = qp->peer;

	attr_equal(qp, "the peer's number", x->dest_qp_num, peer->qpn);
	attr_equal(qp, "the PSN to expect", x->rq_psn, y->sq_psn);
	attr_equal(qp, "the path MTU, code", x->path_mtu, y->path_mtu);
	vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		 x->path_mtu <= qp->end->opened.port.active_mtu,
		 "end %s qp 0x%x: the CM chose the path MTU %u, above the "
		 "port's",
		 ends_side(qp->end), qp->qpn, verbs_mtu_bytes(x->path_mtu));
	vb_check(
		ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		x->max_rd_atomic <= y->max_dest_rd_atomic,
		"end %s qp 0x%x: the CM lets it have %u READs outstanding, the "
		"other end takes %u",
		ends_side(qp->end), qp->qpn, x->max_rd_atomic,
		y->max_dest_rd_atomic);
	if (x->ah_attr.is_global)
		vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
			 !memcmp(&x->ah_attr.grh.dgid, &peer->end->opened.gid,
				 sizeof(union ibv_gid)),
			 "end %s qp 0x%x: the CM chose an address that is not "
			 "the peer's",
			 ends_side(qp->end), qp->qpn);
}

static void attr_tell(struct vb_qp *qp, const struct ibv_qp_attr *x)
{
	char gid[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, x->ah_attr.grh.dgid.raw, gid, sizeof(gid));
	vb_note(ends_test(qp),
		"end %s: the CM chose path MTU %u, PSN 0x%x to send and 0x%x "
		"to expect, timeout %u, retry %u, RNR retry %u, rd_atomic "
		"%u/%u, GID index %u to %s",
		ends_side(qp->end), verbs_mtu_bytes(x->path_mtu), x->sq_psn,
		x->rq_psn, x->timeout, x->retry_cnt, x->rnr_retry,
		x->max_rd_atomic, x->max_dest_rd_atomic,
		x->ah_attr.grh.sgid_index, gid);
}

void cm_judge(struct vb_pair *p)
{
	struct ends *e = p->a->ends;
	struct ibv_qp_attr a, b;

	ends_query(p->a, &a);
	ends_query(p->b, &b);
	/* Of an iWARP queue pair none of this can be asked. */
	if (ends_blind(p->a->end))
		return;
	attr_judge_side(p->a, &a, &b);
	attr_judge_side(p->b, &b, &a);
	attr_learn(p->a, &a);
	attr_learn(p->b, &b);
	if (e->cm_told)
		return;
	e->cm_told = true;
	attr_tell(p->a, &a);
	attr_tell(p->b, &b);
}
