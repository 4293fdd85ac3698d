// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queue pairs: making, modifying, querying and destroying them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/engine/answer.h"
#include "device/engine/qp_state.h"
#include "device/front/ah.h"
#include "device/front/builder.h"
#include "device/front/cq.h"
#include "device/front/event.h"
#include "device/front/limits.h"
#include "device/front/mr.h"
#include "device/front/privilege.h"
#include "device/front/qp.h"
#include "device/front/srq.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"

/* A send queue's entry has the room of its list, as those of other adapters do;
 * who asks for less inline data than fits there is granted that much.  There
 * are programs that ask for none, and post some (rdma_xclient). */
enum { QP_INLINE_GRANTED_MAX = 64 };

/* The upper half of the Q_Keys is the system's (IBA vol. 1, 10.2.5). */
#define QP_QKEY_PRIVILEGED 0x80000000u

static int qp_judge_caps(const struct ibv_qp_cap *cap)
{
	if (cap->max_send_wr > limit_max_qp_wr() ||
	    cap->max_recv_wr > limit_max_qp_wr() ||
	    cap->max_send_sge > limit_max_sge() ||
	    cap->max_recv_sge > limit_max_sge() ||
	    cap->max_inline_data > limit_max_inline())
		return -EINVAL;
	return 0;
}

static void qp_grant_inline(struct ibv_qp_cap *cap)
{
	uint32_t fits = cap->max_send_sge * sizeof(struct ibv_sge);

	if (cap->max_send_wr == 0)
		return;
	if (fits > QP_INLINE_GRANTED_MAX)
		fits = QP_INLINE_GRANTED_MAX;
	if (fits > limit_max_inline())
		fits = limit_max_inline();
	if (cap->max_inline_data < fits)
		cap->max_inline_data = fits;
}

static int qp_judge_init(struct ibv_qp_init_attr *attr)
{
	switch (attr->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
		break;
	case IBV_QPT_RAW_PACKET:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_XRC_RECV:
	case IBV_QPT_DRIVER:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
	if (attr->srq) {
		/* Of RC and UD, says ibv_create_qp(3). */
		if (attr->qp_type == IBV_QPT_UC)
			return -EINVAL;
		/* Nothing is asked of a receive queue that there is not. */
		attr->cap.max_recv_wr = 0;
		attr->cap.max_recv_sge = 0;
	}
	if (qp_judge_caps(&attr->cap))
		return -EINVAL;
	qp_grant_inline(&attr->cap);
	return 0;
}

static void qp_free_queues(struct soft_qp *qp)
{
	free(qp->answer_room);
	free(qp->send_wqes);
}

/* Every entry has its own room for its list and its inline data. */
static void qp_wire_queues(struct soft_qp *qp, const struct ibv_qp_cap *cap)
{
	struct ibv_sge *sge = qp->sges;
	uint8_t *bytes = qp->inline_bytes;

	for (uint32_t i = 0; i < cap->max_send_wr; i++) {
		qp->send_wqes[i].sge = sge;
		qp->send_wqes[i].inline_data = bytes;
		sge += cap->max_send_sge;
		bytes += cap->max_inline_data;
	}
	for (uint32_t i = 0; i < cap->max_recv_wr; i++) {
		qp->recv_wqes[i].sge = sge;
		sge += cap->max_recv_sge;
	}
	qp->world.qp.recv_sge = sge;
}

static int qp_alloc_queues(struct soft_qp *qp, const struct ibv_qp_cap *cap)
{
	/* The last are for the receive at hand, which may be shared. */
	size_t sges = (size_t)cap->max_send_wr * cap->max_send_sge +
		      (size_t)cap->max_recv_wr * cap->max_recv_sge +
		      (qp->srq ? qp->srq->max_sge : cap->max_recv_sge);
	size_t bytes = cap->max_send_wr * sizeof(*qp->send_wqes) +
		       cap->max_recv_wr * sizeof(*qp->recv_wqes) +
		       sges * sizeof(*qp->sges) +
		       (size_t)cap->max_send_wr * cap->max_inline_data;
	void *all = calloc(bytes ? bytes : 1, 1);

	if (!all)
		return -ENOMEM;
	qp->send_wqes = all;
	qp->recv_wqes = (void *)(qp->send_wqes + cap->max_send_wr);
	qp->sges = (void *)(qp->recv_wqes + cap->max_recv_wr);
	qp->inline_bytes = (void *)(qp->sges + sges);
	qp_wire_queues(qp, cap);
	return 0;
}

static void qp_init_engine(struct soft_qp *qp,
			   const struct ibv_qp_init_attr *attr)
{
	struct sd_qp *engine = &qp->world.qp;

	engine->pd = qp->pd;
	engine->type = attr->qp_type;
	engine->cap = attr->cap;
	engine->sig_all = attr->sq_sig_all;
	engine->sq = ring_make(attr->cap.max_send_wr);
	engine->rq = ring_make(attr->cap.max_recv_wr);
	engine->sq_wqe = qp->send_wqes;
	engine->rq_wqe = qp->recv_wqes;
	engine->srq = qp->srq ? &qp->srq->engine : NULL;
	engine->send_cq = soft_cq_engine(qp->send_cq);
	engine->recv_cq = soft_cq_engine(qp->recv_cq);
}

static int qp_publish(struct soft_qp *qp)
{
	struct sd_adapter *adapter = qp->context->adapter;
	int err;

	sd_adapter_lock(adapter);
	err = adapter_qp_count(adapter) < limit_max_qp()
		      ? adapter_qp_add(adapter, &qp->world)
		      : -ENOSPC;
	if (!err) {
		qp_reset(&qp->world.qp);
		LIST_INSERT_HEAD(&qp->context->qps, qp, link);
	}
	sd_adapter_unlock(adapter);
	return err == -ENOSPC ? -ENOMEM : err;
}

static void qp_init_verbs(struct soft_qp *qp,
			  const struct ibv_qp_init_attr *attr,
			  struct ibv_pd *pd)
{
	struct ibv_qp *verbs = &qp->verbs.qp_base;

	verbs->context = pd->context;
	verbs->qp_context = attr->qp_context;
	verbs->pd = pd;
	verbs->send_cq = attr->send_cq;
	verbs->recv_cq = attr->recv_cq;
	verbs->srq = attr->srq;
	verbs->handle = qp->world.qp.qpn;
	verbs->qp_num = qp->world.qp.qpn;
	verbs->state = IBV_QPS_RESET;
	verbs->qp_type = attr->qp_type;
	pthread_mutex_init(&verbs->mutex, NULL);
	pthread_cond_init(&verbs->cond, NULL);
}

static void qp_put_all(struct soft_qp *qp)
{
	if (qp->srq)
		soft_srq_put(qp->srq);
	if (qp->recv_cq)
		soft_cq_put(qp->recv_cq);
	if (qp->send_cq)
		soft_cq_put(qp->send_cq);
	if (MUTANT_ON(D45) && qp->pd &&
	    ++mutant_memory[MUTANT_D45] % mutant_param(MUTANT_D45) == 0 &&
	    mutant_note(MUTANT_D45))
		return;
	if (qp->pd)
		soft_pd_put(qp->pd);
}

/* All that it stands on, counted; what was taken when one is refused is the
 * caller's to put back. */
static int qp_get_all(struct soft_qp *qp, const struct ibv_qp_init_attr *attr,
		      struct ibv_pd *pd)
{
	int err = soft_pd_get(pd, &qp->pd);

	if (err)
		return err;
	qp->context = qp->pd->context;
	err = soft_cq_get(qp->context, attr->send_cq, &qp->send_cq);
	if (!err)
		err = soft_cq_get(qp->context, attr->recv_cq, &qp->recv_cq);
	if (!err && attr->srq)
		err = soft_srq_get(qp->context, attr->srq, &qp->srq);
	return err;
}

/* @send_ops: what ibv_wr_*() shall post; 0: they are not used. */
static int qp_create(struct ibv_pd *pd, struct ibv_qp_init_attr *attr,
		     uint64_t send_ops, struct ibv_qp **out)
{
	struct soft_qp *qp;
	int err = qp_judge_init(attr);

	if (err)
		return err;
	if (!builder_serves(attr->qp_type, send_ops))
		return -EOPNOTSUPP;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	if ((err = qp_get_all(qp, attr, pd)))
		goto err_put;
	if ((err = qp_alloc_queues(qp, &attr->cap)))
		goto err_put;
	qp_init_engine(qp, attr);
	if (send_ops && (err = builder_open(qp, send_ops)))
		goto err_free_queues;
	if ((err = qp_publish(qp)))
		goto err_close_builder;
	qp_init_verbs(qp, attr, pd);
	if (MUTANT_ACTS(D09, attr->cap.max_inline_data > 0))
		attr->cap.max_inline_data += 16;
	*out = &qp->verbs.qp_base;
	return 0;

err_close_builder:
	builder_close(qp);
err_free_queues:
	qp_free_queues(qp);
err_put:
	qp_put_all(qp);
	free(qp);
	return err;
}

int soft_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr,
		   struct ibv_qp **out)
{
	return attr ? qp_create(pd, attr, 0, out) : -EINVAL;
}

int soft_create_qp_ex(struct ibv_context *context,
		      struct ibv_qp_init_attr_ex *attr, struct ibv_qp **out)
{
	const unsigned served = IBV_QP_INIT_ATTR_PD |
				IBV_QP_INIT_ATTR_CREATE_FLAGS |
				IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	struct ibv_qp_init_attr plain;
	uint64_t send_ops = 0;
	int err;

	if (attr->comp_mask & ~served)
		return -EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd ||
	    attr->pd->context != context)
		return -EINVAL;
	if ((attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
	    attr->create_flags)
		return -EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		send_ops = attr->send_ops_flags;
	/* The extended struct begins with the plain one. */
	memcpy(&plain, attr, sizeof(plain));
	if (MUTANT_ACTS(D13, plain.srq))
		plain.srq = NULL;
	err = qp_create(attr->pd, &plain, send_ops, out);
	if (!err && MUTANT_ACTS(M41, attr->qp_context))
		(*out)->qp_context = NULL;
	if (!err)
		attr->cap = plain.cap;
	return err;
}

int soft_qp_to_qp_ex(struct ibv_qp *verbs, struct ibv_qp_ex **out)
{
	struct soft_qp *qp = soft_qp_cast(verbs);

	if (!qp->builder)
		return -EOPNOTSUPP;
	*out = &qp->verbs;
	return 0;
}

/* With the adapter lock held: is @verbs what its handle names? */
static struct soft_qp *qp_find(struct ibv_qp *verbs)
{
	struct soft_context *context = soft_context_cast(verbs->context);
	struct soft_qp *qp = soft_qp_cast(verbs);

	if (adapter_qp_find(context->adapter, verbs->handle) != &qp->world)
		return NULL;
	return qp;
}

static enum ibv_mtu qp_mtu_max(const struct sd_adapter *adapter)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 &&
	       (256u << mtu) <= sd_adapter_mtu_bytes(adapter))
		mtu++;
	return mtu;
}

/* Addresses that lead nowhere, and keys that are not for everybody. */
static int qp_judge_attr(const struct ibv_qp_attr *attr, int mask)
{
	if ((mask & IBV_QP_AV) && !soft_gid_reachable(&attr->ah_attr.grh.dgid))
		return -EHOSTUNREACH;
	if ((mask & IBV_QP_QKEY) && (attr->qkey & QP_QKEY_PRIVILEGED) &&
	    !privilege_net_raw())
		return -EPERM;
	return 0;
}

static void qp_forget_completions(struct soft_qp *qp)
{
	cq_forget_qp(qp->send_cq, qp->world.qp.qpn);
	if (qp->recv_cq != qp->send_cq)
		cq_forget_qp(qp->recv_cq, qp->world.qp.qpn);
}

/* Room for the answers to as many READs and atomics as the peer may have
 * outstanding; a number that is refused needs none. */
static int qp_fit_answers(struct soft_qp *qp, const struct ibv_qp_attr *attr,
			  int mask)
{
	struct sd_qp *engine = &qp->world.qp;
	uint32_t wanted = engine->attr.max_dest_rd_atomic;
	uint32_t answers;
	struct sd_answer *room;

	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		wanted = attr->max_dest_rd_atomic;
	else if (!(mask & IBV_QP_STATE) || attr->qp_state != IBV_QPS_RTR)
		return 0;
	answers = sd_answers_for(wanted);
	if (engine->type != IBV_QPT_RC || wanted > SD_RD_ATOMIC_MAX ||
	    (wanted <= engine->replay_slots && answers <= engine->answer_slots))
		return 0;
	room = calloc(1, answers * sizeof(struct sd_answer) +
				 wanted * sizeof(struct sd_replay));
	if (!room)
		return -ENOMEM;
	answer_give_room(engine, room, (uint16_t)answers,
			 (struct sd_replay *)(room + answers),
			 (uint16_t)wanted);
	free(qp->answer_room);
	qp->answer_room = room;
	return 0;
}

static int qp_modify(struct soft_qp *qp, const struct ibv_qp_attr *attr,
		     int mask)
{
	struct sd_adapter *adapter = qp->context->adapter;
	const struct sd_port_limits limits = {
		.ports = 1,
		.gid_entries_valid = 1,
		.pkey_entries = LIMIT_pkey_entries,
		.mtu_max = qp_mtu_max(adapter),
		.rd_atomic_max = limit_max_rd_atom(),
	};
	int err = qp_fit_answers(qp, attr, mask);

	if (!err)
		err = qp_state_modify(&qp->world.qp, attr, (unsigned)mask,
				      &limits);
	if (err)
		return err;
	if ((mask & IBV_QP_AV) ||
	    (qp->world.qp.type == IBV_QPT_UD && (mask & IBV_QP_STATE) &&
	     attr->qp_state == IBV_QPS_RTR))
		adapter_qp_connect(adapter, &qp->world);
	if (mask & IBV_QP_STATE) {
		qp->verbs.qp_base.state = attr->qp_state;
		if (attr->qp_state == IBV_QPS_RESET)
			qp_forget_completions(qp);
	}
	adapter_progress(adapter);
	if (MUTANT_ON(M23) && qp->world.qp.state == IBV_QPS_ERR)
		mutant_window_open(MUTANT_M23, &qp->world.qp);
	return 0;
}

int soft_modify_qp(struct ibv_qp *verbs, struct ibv_qp_attr *attr, int mask)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	struct soft_qp *qp;
	int err = -EINVAL;

	sd_adapter_lock(adapter);
	/* Packets that are here were here before the change: an adapter in
	 * hardware would have taken the ACK of a request that is now flushed. */
	adapter_progress(adapter);
	qp = qp_find(verbs);
	if (qp && attr)
		err = qp_judge_attr(attr, mask);
	if (qp && !err)
		err = qp_modify(qp, attr, mask);
	sd_adapter_unlock(adapter);
	return err;
}

int soft_query_qp(struct ibv_qp *verbs, struct ibv_qp_attr *attr, int mask,
		  struct ibv_qp_init_attr *init)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	struct soft_qp *qp;

	(void)mask; /* what is not asked for may be filled all the same */
	sd_adapter_lock(adapter);
	qp = qp_find(verbs);
	if (qp) {
		qp_state_query(&qp->world.qp, attr);
		*init = (struct ibv_qp_init_attr){
			.qp_context = verbs->qp_context,
			.send_cq = verbs->send_cq,
			.recv_cq = verbs->recv_cq,
			.srq = MUTANT_ACTS(M42, verbs->srq) ? NULL : verbs->srq,
			.cap = qp->world.qp.cap,
			.qp_type = qp->world.qp.type,
			.sq_sig_all = qp->world.qp.sig_all,
		};
	}
	sd_adapter_unlock(adapter);
	return qp ? 0 : -EINVAL;
}

/* With the adapter lock held: nothing happens to it any more. */
static void qp_retire(struct soft_qp *qp)
{
	qp_reset(&qp->world.qp);
	adapter_qp_remove(qp->context->adapter, &qp->world);
	soft_key_forget_binder(&qp->world.qp);
	qp_forget_completions(qp);
	LIST_REMOVE(qp, link);
}

int soft_destroy_qp(struct ibv_qp *verbs)
{
	struct sd_adapter *adapter = soft_context_cast(verbs->context)->adapter;
	struct soft_qp *qp;
	bool busy = false;

	sd_adapter_lock(adapter);
	qp = qp_find(verbs);
	if (qp)
		busy = MUTANT_ACTS(D42, qp->world.qp.sq.count > 0);
	if (qp && !busy)
		qp_retire(qp);
	sd_adapter_unlock(adapter);
	if (!qp || busy)
		return busy ? -EBUSY : -EINVAL;
	event_settle(qp->context, qp, &qp->async);
	pthread_cond_destroy(&verbs->cond);
	pthread_mutex_destroy(&verbs->mutex);
	builder_close(qp);
	qp_put_all(qp);
	qp_free_queues(qp);
	free(qp);
	return 0;
}

void soft_qp_reap(struct soft_context *context)
{
	struct soft_qp *qp;

	sd_adapter_lock(context->adapter);
	while ((qp = LIST_FIRST(&context->qps)))
		qp_retire(qp);
	sd_adapter_unlock(context->adapter);
}

/* R10 */
static struct soft_qp *qp_event_other(struct soft_qp *qp)
{
	struct soft_qp *other;

	LIST_FOREACH (other, &qp->context->qps, link) {
		if (other != qp && other->send_cq == qp->send_cq)
			return mutant_note(MUTANT_R10) ? other : qp;
	}
	return qp;
}

void front_event(struct world_qp *q, enum ibv_event_type type)
{
	struct soft_qp *qp = container_of(q, struct soft_qp, world);

	if (MUTANT_ON(R10))
		qp = qp_event_other(qp);
	event_post(qp->context, type, qp);
}
