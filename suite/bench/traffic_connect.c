// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Bringing all queue pairs of an end up, together with the peer. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/verbs_names.h"
#include "suite/bench/traffic_inner.h"

enum { CONNECT_PSN_MASK = 0xffffff, CONNECT_GENERATIONS = 4096 };

static int connect_modify(struct traffic_end *e, uint32_t qp,
			  struct ibv_qp_attr *attr, unsigned mask,
			  struct strbuf *error)
{
	struct verbs_modified done;

	verbs_qp_modify(&e->at, e->qps[qp].qp, attr, mask, &done);
	if (done.err)
		strbuf_addf(error, "%c qp%u to %s: %s", 'a' + (int)e->end, qp,
			    verbs_qp_state_name(attr->qp_state),
			    strerror(-done.err));
	return done.err;
}

static int connect_init(struct traffic_end *e, uint32_t qp,
			struct strbuf *error)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)e->p->port,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};

	return connect_modify(e, qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				      IBV_QP_ACCESS_FLAGS,
			      error);
}

static int connect_rtr(struct traffic_end *e, uint32_t qp, struct strbuf *error)
{
	const struct exchange_params *peer = &e->qps[qp].peer;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = (uint8_t)e->read_depth,
		.min_rnr_timer = (uint8_t)e->p->min_rnr_timer,
		.ah_attr = { .dlid = peer->lid,
			     .port_num = (uint8_t)e->p->port },
	};
	int err = verbs_mtu_from_bytes(
		peer->mtu < e->p->mtu ? peer->mtu : e->p->mtu, &attr.path_mtu);

	if (err)
		return err;
	if (e->port.link_layer == IBV_LINK_LAYER_ETHERNET) {
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh.hop_limit = 64;
		attr.ah_attr.grh.sgid_index = (uint8_t)e->p->gid_index;
		memcpy(&attr.ah_attr.grh.dgid, peer->gid, 16);
	}
	return connect_modify(e, qp, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				      IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER,
			      error);
}

static uint32_t connect_psn(const struct traffic_end *e, uint32_t qp)
{
	return (uint32_t)hash_mix64(e->p->seed + ((uint64_t)e->end << 62) +
				    ((uint64_t)e->generation << 32) + qp) &
	       CONNECT_PSN_MASK;
}

static int connect_rts(struct traffic_end *e, uint32_t qp, struct strbuf *error)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = connect_psn(e, qp),
		.timeout = (uint8_t)e->p->timeout,
		.retry_cnt = (uint8_t)e->p->retry,
		.rnr_retry = (uint8_t)e->p->rnr_retry,
		.max_rd_atomic = (uint8_t)e->read_depth,
	};

	return connect_modify(e, qp, &attr,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				      IBV_QP_MAX_QP_RD_ATOMIC,
			      error);
}

static void connect_own(struct traffic_end *e, uint32_t qp,
			struct exchange_params *own)
{
	*own = (struct exchange_params){
		.qpn = e->qps[qp].qp->qp_num,
		.psn = connect_psn(e, qp),
		.lid = e->port.lid,
		.gid_index = (uint8_t)e->p->gid_index,
		.mtu = e->p->mtu,
		.qp_index = qp,
		.generation = e->generation,
		.address = (uintptr_t)e->memory,
		.rkey = e->mr->rkey,
	};
	memcpy(own->gid, &e->gid.gid, 16);
}

/* Who sends what from now on, and who did before: for diagnosis. */
static void connect_keys(struct traffic_end *e)
{
	uint32_t qps = e->p->qps;

	for (uint32_t i = 0; i < qps; i++) {
		struct traffic_qp *q = &e->qps[i];
		struct pattern_origin own = { e->end, i, e->generation };
		struct pattern_origin peer = { !e->end, i, e->generation };

		e->known[qps + i] = e->known[i];
		q->key_own = pattern_key(e->p->seed, &own);
		q->key_peer = pattern_key(e->p->seed, &peer);
		e->known[i] = (struct pattern_known){ q->key_peer, peer };
	}
}

static int connect_prepare(struct traffic_end *e, bool again,
			   struct strbuf *error)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	int err = 0;

	if (again && e->p->reregister_ns &&
	    e->now_ns - e->registered_ns >= e->p->reregister_ns) {
		err = traffic_memory_again(e, error);
		e->registered_ns = e->now_ns;
	}
	for (uint32_t i = 0; i < e->p->qps && !err; i++) {
		struct traffic_qp *q = &e->qps[i];

		if (again) {
			err = connect_modify(e, i, &reset, IBV_QP_STATE, error);
			/* What was posted is forgotten with it. */
			e->live->receives_posted -= q->rx.posted - q->rx.takers;
			q->rx.posted = q->rx.takers;
		}
		if (!err)
			err = connect_init(e, i, error);
		if (!err)
			traffic_receive_fill(e, i);
	}
	return err;
}

int traffic_connect(struct traffic_end *e, bool again, struct strbuf *error)
{
	uint32_t qps = e->p->qps, i;
	struct exchange_params *own = calloc(qps, sizeof(*own));
	struct exchange_params *peer = calloc(qps, sizeof(*peer));
	int err = own && peer ? 0 : -ENOMEM;

	e->generation = (e->generation + 1) % CONNECT_GENERATIONS;
	e->live->generation++;
	if (!err) {
		connect_keys(e);
		err = connect_prepare(e, again, error);
	}
	for (i = 0; i < qps && !err; i++)
		connect_own(e, i, &own[i]);
	traffic_memory_sources(e);
	if (!err)
		err = e->control->meet(e->control->arg, own, peer, qps, error);
	for (i = 0; i < qps && !err; i++) {
		e->qps[i].peer = peer[i];
		err = connect_rtr(e, i, error);
		if (!err)
			err = connect_rts(e, i, error);
	}
	free(own);
	free(peer);
	/* Nobody sends before both can receive. */
	return err ? err
		   : e->control->barrier(e->control->arg, "connected", error);
}
