// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attributes of a queue pair: what a transition gets by default, what the case
 * says instead, and whether the device keeps it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/end/cm.h"
#include "suite/end/ends.h"
#include "suite/oracle/model.h"
#include "suite/oracle/refusal.h"
#include "suite/verbs/verbs.h"

enum { MODIFY_QKEY = 0x0badcafe, MODIFY_HOPS = 64, MODIFY_RD_ATOMIC = 4 };

/* How a case names an attribute, its bit, and its field. */
#define MODIFY_NUMBERS(X)                                        \
	X(pkey_index, IBV_QP_PKEY_INDEX, pkey_index)             \
	X(port, IBV_QP_PORT, port_num)                           \
	X(access, IBV_QP_ACCESS_FLAGS, qp_access_flags)          \
	X(qkey, IBV_QP_QKEY, qkey)                               \
	X(dest_qpn, IBV_QP_DEST_QPN, dest_qp_num)                \
	X(rq_psn, IBV_QP_RQ_PSN, rq_psn)                         \
	X(sq_psn, IBV_QP_SQ_PSN, sq_psn)                         \
	X(min_rnr_timer, IBV_QP_MIN_RNR_TIMER, min_rnr_timer)    \
	X(timeout, IBV_QP_TIMEOUT, timeout)                      \
	X(retry, IBV_QP_RETRY_CNT, retry_cnt)                    \
	X(rnr_retry, IBV_QP_RNR_RETRY, rnr_retry)                \
	X(max_rd_atomic, IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic) \
	X(max_dest_rd_atomic, IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic)

static unsigned modify_required(enum ibv_qp_type type, enum ibv_qp_state from,
				enum ibv_qp_state to)
{
	struct model_transition m;

	model_transition(type, from, to, IBV_QP_STATE, &m);
	return m.legal ? m.required : 0;
}

/*
 * What to set on the way to @to.  An illegal transition gets the attributes
 * of the usual way there, so that it is its state that is refused.
 */
static unsigned modify_mask(const struct vb_qp *qp, enum ibv_qp_state from,
			    enum ibv_qp_state to)
{
	static const enum ibv_qp_state usual[] = {
		[IBV_QPS_INIT] = IBV_QPS_RESET,
		[IBV_QPS_RTR] = IBV_QPS_INIT,
		[IBV_QPS_RTS] = IBV_QPS_RTR,
	};
	unsigned mask = modify_required(qp->type, from, to);

	if (!mask && to < ARRAY_SIZE(usual))
		mask = modify_required(qp->type, usual[to], to);
	return mask | IBV_QP_STATE;
}

static uint8_t modify_rd_atomic(int limit)
{
	return (uint8_t)(limit < MODIFY_RD_ATOMIC ? limit : MODIFY_RD_ATOMIC);
}

static void modify_defaults(const struct vb_qp *qp, struct ibv_qp_attr *a)
{
	const struct exchange_params *far = qp->introduced ? &qp->remote
							   : &qp->own;
	const struct vb_options *o = qp->ends->t->options;
	const struct end_opened *here = &qp->end->opened;
	uint32_t mtu = far->mtu < qp->own.mtu ? far->mtu : qp->own.mtu;

	memset(a, 0, sizeof(*a));
	a->port_num = (uint8_t)o->port;
	a->pkey_index = qp->own.pkey_index;
	a->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (qp->type == IBV_QPT_RC)
		a->qp_access_flags |= IBV_ACCESS_REMOTE_READ |
				      vb_atomic_access(qp->pd);
	a->qkey = MODIFY_QKEY;
	if (verbs_mtu_from_bytes(mtu, &a->path_mtu))
		a->path_mtu = here->port.active_mtu;
	a->dest_qp_num = far->qpn;
	a->rq_psn = far->psn;
	a->sq_psn = qp->own.psn;
	a->min_rnr_timer = (uint8_t)o->min_rnr_timer;
	a->timeout = (uint8_t)o->timeout;
	a->retry_cnt = (uint8_t)o->retry;
	a->rnr_retry = (uint8_t)o->rnr_retry;
	a->max_rd_atomic = modify_rd_atomic(here->device.max_qp_init_rd_atom);
	a->max_dest_rd_atomic = modify_rd_atomic(here->device.max_qp_rd_atom);
	a->ah_attr.port_num = a->port_num;
	a->ah_attr.dlid = far->lid;
	a->ah_attr.is_global = here->port.link_layer == IBV_LINK_LAYER_ETHERNET;
	memcpy(&a->ah_attr.grh.dgid, far->gid, sizeof(far->gid));
	a->ah_attr.grh.sgid_index = qp->own.gid_index;
	a->ah_attr.grh.hop_limit = MODIFY_HOPS;
}

/* What the case said goes before; the bits that it named are returned. */
static unsigned modify_said(const struct vb_attr_args *args,
			    struct ibv_qp_attr *a)
{
	unsigned said = 0;

#define MODIFY_NUMBER(name, bit, field)                            \
	if (args->name.set) {                                      \
		a->field = (__typeof__(a->field))args->name.value; \
		said |= bit;                                       \
	}
	MODIFY_NUMBERS(MODIFY_NUMBER)
#undef MODIFY_NUMBER
	if (args->mtu.set) {
		if (verbs_mtu_from_bytes((unsigned)args->mtu.value,
					 &a->path_mtu))
			a->path_mtu = (enum ibv_mtu)args->mtu.value;
		said |= IBV_QP_PATH_MTU;
	}
	if (args->gid_index.set)
		a->ah_attr.grh.sgid_index = (uint8_t)args->gid_index.value;
	if (args->dlid.set)
		a->ah_attr.dlid = (uint16_t)args->dlid.value;
	if (args->is_global.set)
		a->ah_attr.is_global = (uint8_t)args->is_global.value;
	if (args->av_port.set)
		a->ah_attr.port_num = (uint8_t)args->av_port.value;
	if (args->dgid)
		a->ah_attr.grh.dgid = *args->dgid;
	if (args->gid_index.set || args->dlid.set || args->is_global.set ||
	    args->av_port.set || args->dgid)
		said |= IBV_QP_AV;
	if (args->cur_state.set) {
		a->cur_qp_state = (enum ibv_qp_state)args->cur_state.value;
		said |= IBV_QP_CUR_STATE;
	}
	if (args->en_sqd_notify.set) {
		a->en_sqd_async_notify = (uint8_t)args->en_sqd_notify.value;
		said |= IBV_QP_EN_SQD_ASYNC_NOTIFY;
	}
	return said;
}

/* Copy the attributes @mask: what has been set by successful modifies. */
static void modify_remember(struct vb_qp *qp, const struct ibv_qp_attr *a,
			    unsigned mask)
{
	struct ibv_qp_attr *s = &qp->set;

#define MODIFY_NUMBER(name, bit, field) \
	if (mask & (bit))               \
		s->field = a->field;
	MODIFY_NUMBERS(MODIFY_NUMBER)
#undef MODIFY_NUMBER
	if (mask & IBV_QP_PATH_MTU)
		s->path_mtu = a->path_mtu;
	if (mask & IBV_QP_AV)
		s->ah_attr = a->ah_attr;
	qp->set_mask |= mask & ~(unsigned)(IBV_QP_STATE | IBV_QP_CUR_STATE);
}

/*
 * The state of a query.  Of iWARP, whose attributes are the CM's and whose
 * drivers fill in little of a query, what was asked for last stands for it, or
 * what an error must have led to; connect/told-state judges the query.
 */
static void modify_seen(struct vb_qp *qp, enum ibv_qp_state told)
{
	if (!ends_blind(qp->end))
		qp->state = told;
	else if (qp->told_err || qp->sq_failed || qp->rq_failed)
		qp->state = IBV_QPS_ERR;
	dashboard_qp_queried(qp->row, qp->state);
}

void ends_query(struct vb_qp *qp, struct ibv_qp_attr *attr)
{
	struct end_object in = { .id = qp->id };
	struct end_queried out;
	int err = qp->end->ops->query_qp(qp->end->host, &in, &out);

	if (err)
		vb_fail(ends_test(qp), VB_FIND_WRONG_RETURN,
			"end %s qp 0x%x: it cannot be queried: %s",
			ends_side(qp->end), qp->qpn, strerror(-err));
	*attr = out.now;
	modify_seen(qp, out.now.qp_state);
}

/* What a state means for the books. */
static void modify_entered(struct vb_qp *qp, enum ibv_qp_state to)
{
	qp->changed_ns = clock_now_ns();
	dashboard_qp_believed(qp->row, to);
	if (to == IBV_QPS_RESET)
		ends_qp_renew(qp);
	/* From SQE, that is. */
	if (to == IBV_QPS_RTS && qp->sq_failed) {
		ledger_recovered(qp->sq);
		qp->sq_failed = ledger_queue_failed(qp->sq);
	}
	if (to == IBV_QPS_ERR) {
		qp->told_err = true;
		ledger_flush_expected(qp->sq);
		ledger_flush_expected(qp->rq);
	}
}

void ends_entered(struct vb_qp *qp, enum ibv_qp_state to)
{
	modify_entered(qp, to);
	if (ends_blind(qp->end))
		qp->state = to;
}

struct modify_result {
	int err; /* of the verb */
	unsigned mask;
	struct ibv_qp_attr asked, before, now;
};

/* Before a modify: what came so far is judged by the rules of the old state. */
static void modify_begin(struct vb_qp *qp, struct modify_result *m)
{
	ends_progress(qp->ends);
	ends_query(qp, &m->before);
	m->before.qp_state = qp->state;
}

static void modify_call(struct vb_qp *qp, enum ibv_qp_state to,
			struct modify_result *m)
{
	struct end_modify in = { .qp = qp->id,
				 .mask = m->mask,
				 .attr = m->asked };
	struct end_modified out;
	int err = qp->end->ops->modify_qp(qp->end->host, &in, &out);

	if (err)
		vb_fail(ends_test(qp), VB_FIND_WRONG_RETURN,
			"end %s qp 0x%x: it cannot be queried: %s",
			ends_side(qp->end), qp->qpn, strerror(-err));
	m->err = out.err;
	if (m->err && out.negative)
		ends_negative_note(qp->end, "ibv_modify_qp",
				   &qp->end->negative_modify_told);
	m->now = out.now;
	modify_seen(qp, out.now.qp_state);
	m->now.qp_state = qp->state;
	if (m->err)
		return;
	ends_entered(qp, in.mask & IBV_QP_STATE ? to : qp->state);
	m->now.qp_state = qp->state;
	modify_remember(qp, &in.attr, in.mask);
}

/* Modify without judging.  @strict: exactly the required attributes. */
static void modify_unjudged(struct vb_qp *qp, enum ibv_qp_state to,
			    const struct vb_attr_args *args, bool strict,
			    struct modify_result *m)
{
	unsigned said;

	if (!(qp->cm_id && qp->introduced) &&
	    (to == IBV_QPS_RTR || to == IBV_QPS_RTS) &&
	    cm_connects(ends_test(qp), qp->type))
		cm_skip(ends_test(qp), "connects by hand");
	qp->ends->focus = qp;
	modify_begin(qp, m);
	modify_defaults(qp, &m->asked);
	m->asked.qp_state = to;
	m->mask = modify_mask(qp, m->before.qp_state, to);
	said = modify_said(args, &m->asked);
	if (!strict)
		m->mask = (m->mask | said | args->add) & ~args->omit;
	modify_call(qp, to, m);
}

/* Lowest attribute of @differ, for the text: one is enough. */
static void modify_differs(struct vb_qp *qp, const struct ibv_qp_attr *want,
			   const struct ibv_qp_attr *now, unsigned differ,
			   const char *when)
{
	unsigned bit = differ & -differ;

	if (!differ) {
		vb_checked(ends_test(qp));
		return;
	}
	vb_fail(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		"end %s qp 0x%x: %s: %s must read %" PRIu64 ", reads %" PRIu64
		"%s",
		ends_side(qp->end), qp->qpn, when, model_mask_bit_name(bit),
		verbs_attr_value(want, bit), verbs_attr_value(now, bit),
		bit == IBV_QP_AV ? " (GID index; address, port or GRH)" : "");
}

static void modify_judge(struct vb_qp *qp, enum ibv_qp_state to,
			 const struct modify_result *m)
{
	struct vb_test *t = ends_test(qp);

	if (m->mask & IBV_QP_STATE)
		vb_check(t, VB_FIND_WRONG_STATE, m->now.qp_state == to,
			 "end %s qp 0x%x: modified to %s, it reads %s",
			 ends_side(qp->end), qp->qpn, verbs_qp_state_name(to),
			 verbs_qp_state_name(m->now.qp_state));
	/* After RESET nothing that was set before has a meaning. */
	if (to == IBV_QPS_RESET || ends_blind(qp->end))
		return;
	modify_differs(qp, &m->asked, &m->now,
		       verbs_attr_differ(&m->asked,
					 m->mask & ~(unsigned)IBV_QP_STATE,
					 &m->now, true),
		       "after the modify");
}

/* A refusal changes nothing (QPS-07). */
static void modify_unchanged(struct vb_qp *qp, enum ibv_qp_state state,
			     const struct modify_result *m)
{
	vb_check(ends_test(qp), VB_FIND_WRONG_STATE,
		 m->now.qp_state == m->before.qp_state,
		 "end %s qp 0x%x: refusing %s changed its state from %s to %s",
		 ends_side(qp->end), qp->qpn, verbs_qp_state_name(state),
		 verbs_qp_state_name(m->before.qp_state),
		 verbs_qp_state_name(m->now.qp_state));
	modify_differs(qp, &m->before, &m->now,
		       verbs_attr_differ(&m->before, model_mask_all(), &m->now,
					 true),
		       "after a modify that was refused");
}

/* "end a qp 0x11: INIT to RTR was refused: Invalid argument; ..." and which
 * attribute it may have been; the text lives as long as the case. */
static const char *modify_refusal(struct vb_qp *qp, enum ibv_qp_state state,
				  const struct modify_result *m)
{
	const struct ibv_device_attr *device = &qp->end->opened.device;
	const struct ibv_port_attr *port = &qp->end->opened.port;
	const struct refusal_limits limits = {
		.ethernet = port->link_layer == IBV_LINK_LAYER_ETHERNET,
		.ports = device->phys_port_cnt,
		.pkeys = port->pkey_tbl_len,
		.gids = (uint32_t)port->gid_tbl_len,
		.active_mtu = port->active_mtu,
		.max_init_rd_atomic = (uint32_t)device->max_qp_init_rd_atom,
		.max_rd_atomic = (uint32_t)device->max_qp_rd_atom,
	};
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "end %s qp 0x%x: %s to %s was refused: %s",
		    ends_side(qp->end), qp->qpn,
		    verbs_qp_state_name(m->before.qp_state),
		    verbs_qp_state_name(state), strerror(-m->err));
	refusal_explain(qp->type, m->before.qp_state, &m->asked, m->mask,
			&limits, &text);
	return strbuf_detach(&text);
}

void vb_modify_args(struct vb_qp *qp, enum ibv_qp_state state,
		    const struct vb_attr_args *args)
{
	struct modify_result m;

	modify_unjudged(qp, state, args, false, &m);
	if (m.err)
		vb_fail(ends_test(qp), VB_FIND_WRONG_RETURN, "%s",
			modify_refusal(qp, state, &m));
	vb_checked(ends_test(qp));
	modify_judge(qp, state, &m);
}

bool vb_try_modify_args(struct vb_qp *qp, enum ibv_qp_state state,
			const struct vb_attr_args *args)
{
	struct modify_result m;

	modify_unjudged(qp, state, args, false, &m);
	if (m.err)
		modify_unchanged(qp, state, &m);
	else
		modify_judge(qp, state, &m);
	return !m.err;
}

static void modify_brought(struct vb_qp *qp, enum ibv_qp_state to,
			   const struct modify_result *m)
{
	if (m->err)
		vb_broken(ends_test(qp), "connecting: %s",
			  modify_refusal(qp, to, m));
	modify_judge(qp, to, m);
}

void ends_bring(struct vb_qp *qp, enum ibv_qp_state to,
		const struct vb_attr_args *args)
{
	struct modify_result m;

	modify_unjudged(qp, to, args, true, &m);
	modify_brought(qp, to, &m);
}

void ends_bring_by(struct vb_qp *qp, enum ibv_qp_state to,
		   const struct ibv_qp_attr *attr, unsigned mask)
{
	struct modify_result m = { .asked = *attr, .mask = mask };

	m.asked.qp_state = to;
	modify_begin(qp, &m);
	modify_call(qp, to, &m);
	modify_brought(qp, to, &m);
}

void vb_modify_refused_args(struct vb_qp *qp, enum ibv_qp_state state,
			    const struct vb_attr_args *args)
{
	struct vb_test *t = ends_test(qp);
	struct modify_result m;

	modify_unjudged(qp, state, args, false, &m);
	vb_check(t, VB_FIND_WRONG_RETURN, m.err,
		 "end %s qp 0x%x: %s to %s was accepted, it must be refused",
		 ends_side(qp->end), qp->qpn,
		 verbs_qp_state_name(m.before.qp_state),
		 verbs_qp_state_name(state));
	modify_unchanged(qp, state, &m);
}

enum ibv_qp_state vb_state(struct vb_qp *qp)
{
	struct ibv_qp_attr now;

	ends_query(qp, &now);
	return qp->state;
}

bool vb_draining(struct vb_qp *qp)
{
	struct ibv_qp_attr now;

	ends_query(qp, &now);
	return now.sq_draining;
}

void vb_expect_told(struct vb_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr now;

	ends_query(qp, &now);
	vb_check(ends_test(qp), VB_FIND_WRONG_STATE, now.qp_state == state,
		 "end %s qp 0x%x: ibv_query_qp() says %s, it is in %s",
		 ends_side(qp->end), qp->qpn, verbs_qp_state_name(now.qp_state),
		 verbs_qp_state_name(state));
}

void vb_expect_attributes(struct vb_qp *qp)
{
	/* PSNs move with the first packet. */
	bool quiet = !ledger_queue_next(qp->sq) && !qp->received &&
		     (!qp->peer || qp->peer->gone ||
		      !ledger_queue_next(qp->peer->sq));
	struct ibv_qp_attr now;

	ends_query(qp, &now);
	if (ends_blind(qp->end))
		return;
	modify_differs(qp, &qp->set, &now,
		       verbs_attr_differ(&qp->set, qp->set_mask, &now, quiet),
		       "as set before");
}
