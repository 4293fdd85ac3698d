// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queue pairs of the ends: made and destroyed, and their books. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "suite/end/cm.h"
#include "suite/end/ends.h"

/* Messages of UC and UD that may still come, of one queue pair. */
enum { QP_LOOSE = 8192 };

static uint32_t qp_pick(struct vb_value value, uint32_t otherwise)
{
	return value.set ? (uint32_t)value.value : otherwise;
}

static void qp_cap_asked(struct vb_end *e, const struct vb_qp_args *args,
			 struct ibv_qp_cap *cap)
{
	uint32_t depth = args->depth ? args->depth
				     : (uint32_t)e->ends->t->options->inflight;
	uint32_t sges = args->sges ? args->sges : 1;

	*cap = (struct ibv_qp_cap){
		.max_send_wr = qp_pick(args->send_depth, depth),
		.max_recv_wr = qp_pick(args->recv_depth, depth),
		.max_send_sge = qp_pick(args->send_sges, sges),
		.max_recv_sge = qp_pick(args->recv_sges, sges),
		.max_inline_data = args->inline_max,
	};
}

/* Devices round depths up, and a case may use what it was given: twice what
 * was asked for, and some. */
static void qp_cqs(struct vb_end *e, const struct vb_qp_args *args,
		   unsigned path, const struct ibv_qp_cap *cap,
		   struct vb_object **send_cq, struct vb_object **recv_cq)
{
	uint32_t sends = qp_pick(args->cqe, 2 * cap->max_send_wr + 16);
	uint32_t recvs = qp_pick(args->cqe, 2 * cap->max_recv_wr + 16);
	bool ex = path & VB_PATH_EXTENDED;

	*send_cq = args->send_cq;
	*recv_cq = args->recv_cq;
	if (*send_cq && *recv_cq)
		return;
	if (args->cq == VB_CQ_SHARED) {
		if (!e->shared_cq)
			e->shared_cq =
				ends_cq_default(e, qp_pick(args->cqe, 0), ex);
		*send_cq = *send_cq ? *send_cq : e->shared_cq;
		*recv_cq = *recv_cq ? *recv_cq : e->shared_cq;
		return;
	}
	if (args->cq == VB_CQ_OWN && !*send_cq && !*recv_cq) {
		*send_cq = *recv_cq = ends_cq_default(
			e, qp_pick(args->cqe, sends + recvs), ex);
		return;
	}
	if (!*send_cq)
		*send_cq = ends_cq_default(e, sends, ex);
	if (!*recv_cq)
		*recv_cq = ends_cq_default(e, recvs, ex);
}

/* One of its own as deep as its receive queue would be, or the case's. */
static struct vb_object *qp_srq(struct vb_end *e, const struct vb_qp_args *args,
				unsigned path, const struct ibv_qp_cap *cap)
{
	if (args->srq || !(path & VB_PATH_SRQ))
		return args->srq;
	return vb_create_srq(args->pd ? args->pd : e->pd,
			     .depth = VB_SET(cap->max_recv_wr),
			     .sges = cap->max_recv_sge);
}

/* @with: the send CQ, the receive CQ, the SRQ or NULL. */
static int qp_create(struct vb_end *e, const struct vb_qp_args *args,
		     struct end_qp *in, struct vb_object *with[3],
		     struct end_qp_made *out)
{
	struct vb_object **cqs = with;
	unsigned path = ends_path(e, args);

	*in = (struct end_qp){ .type = args->type ? args->type : IBV_QPT_RC,
			       .sig_all = args->sig_all,
			       .builder = path & VB_PATH_BUILDER };
	qp_cap_asked(e, args, &in->cap);
	qp_cqs(e, args, path, &in->cap, &cqs[0], &cqs[1]);
	in->pd = args->pd ? args->pd->id : e->pd->id;
	in->send_cq = cqs[0]->id;
	in->recv_cq = cqs[1]->id;
	with[2] = qp_srq(e, args, path, &in->cap);
	in->srq = with[2] ? with[2]->id : 0;
	return e->ops->create_qp(e->host, in, out);
}

static void qp_queue_open(struct vb_qp *qp, enum wrid_queue kind)
{
	bool send = kind == WRID_SQ;
	struct ledger_queue_spec spec = {
		.end = qp->end->side,
		.qp_index = qp->index,
		.generation = qp->generation,
		.kind = kind,
		.qp_type = qp->type,
		.qp_num = qp->qpn,
		.cq = send ? qp->send_cq->id : qp->recv_cq->id,
		.entries =
			2 * (send ? qp->cap.max_send_wr : qp->cap.max_recv_wr) +
			64,
		.sig_all = qp->sig_all,
	};
	int err = ledger_queue_open(qp->ends->ledger, &spec,
				    send ? &qp->sq : &qp->rq);

	if (err)
		vb_broken(ends_test(qp), "the ledger of a queue: %s",
			  strerror(-err));
}

static struct pattern_origin qp_origin(const struct vb_qp *qp)
{
	return (struct pattern_origin){ .end = qp->end->side,
					.qp_index = qp->index,
					.generation = qp->generation };
}

static void qp_books_open(struct vb_qp *qp)
{
	struct ends *e = qp->ends;
	struct pattern_origin origin = qp_origin(qp);

	qp_queue_open(qp, WRID_SQ);
	qp_queue_open(qp, WRID_RQ);
	qp->acknowledged = 0;
	qp->received = 0;
	qp->failed_before |= qp->errors > 0;
	qp->errors = 0;
	qp->failure = NULL;
	qp->statuses = 0;
	qp->told_err = false;
	qp->silent = 0;
	qp->sq_failed = qp->rq_failed = false;
	qp->srq_errors = 0;
	qp->own.psn = (uint32_t)prng_below(&e->prng, 1 << 24);
	qp->own.qp_index = qp->index;
	qp->own.generation = qp->generation;
	if (e->known_count < ENDS_QPS_MAX)
		e->known[e->known_count++] = (struct pattern_known){
			.key = pattern_key(e->t->seed, &origin),
			.origin = origin,
		};
	qp->row = dashboard_qp_open(e->dashboard, qp->end->side, qp->index,
				    qp->qpn, qp->generation);
	dashboard_qp_depths(qp->row, qp->cap.max_send_wr, qp->cap.max_recv_wr);
}

static void qp_books_close(struct vb_qp *qp)
{
	ledger_queue_close(qp->sq);
	ledger_queue_close(qp->rq);
	qp->sq = qp->rq = NULL;
	ends_effects_drop(qp);
	dashboard_qp_close(qp->row);
	qp->row = NULL;
}

void ends_qp_renew(struct vb_qp *qp)
{
	qp_books_close(qp);
	qp->generation++;
	qp->set_mask = 0;
	memset(&qp->set, 0, sizeof(qp->set));
	qp->introduced = false;
	qp_books_open(qp);
}

static void qp_pairing_make(struct vb_qp *qp)
{
	char name[64];

	if (qp->type != IBV_QPT_RC && !qp->loose) {
		qp->loose = lossy_create(qp->type, QP_LOOSE);
		if (!qp->loose)
			vb_broken(ends_test(qp), "no memory for a pairing");
	}
	if (qp->out) {
		pairing_reset(qp->out);
		return;
	}
	snprintf(name, sizeof(name), "%s qp%u -> %s", ends_side(qp->end),
		 qp->index, qp->end->side ? "a" : "b");
	/* What may be between its post and its receipt: both queues, and what
	 * lies unpolled; peers have similar depths, and the store is small. */
	qp->out = pairing_create(name, qp->type, 65536);
	if (!qp->out)
		vb_broken(ends_test(qp), "no memory for a pairing");
}

static void qp_params(struct vb_qp *qp)
{
	struct vb_end *e = qp->end;

	qp->own.qpn = qp->qpn;
	qp->own.lid = e->opened.port.lid;
	qp->own.gid_index = (uint8_t)e->opened.gid_index;
	memcpy(qp->own.gid, e->opened.gid.raw, sizeof(qp->own.gid));
	qp->own.mtu = e->mtu;
	qp->own.pkey_index = 0;
}

/*
 * A device may round up, in the answer to the creation or only in that to a
 * query: what counts is the larger one, and neither is below what was asked.
 */
static void qp_cap_judge(struct vb_qp *qp, const struct ibv_qp_cap *asked)
{
	struct ibv_qp_cap *cap = &qp->cap;
	struct ibv_qp_attr now;

	ends_query(qp, &now);
	/* With an SRQ it has no receive queue: what it says of one is void. */
	if (qp->srq)
		now.cap.max_recv_wr = cap->max_recv_wr = asked->max_recv_wr;
	vb_check(
		ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		cap->max_send_wr >= asked->max_send_wr &&
			cap->max_recv_wr >= asked->max_recv_wr &&
			cap->max_send_sge >= asked->max_send_sge &&
			(qp->srq || cap->max_recv_sge >= asked->max_recv_sge) &&
			cap->max_inline_data >= asked->max_inline_data,
		"end %s qp 0x%x: created with less than was asked for: depths "
		"%u/%u, SGEs %u/%u, inline %u",
		ends_side(qp->end), qp->qpn, cap->max_send_wr, cap->max_recv_wr,
		cap->max_send_sge, cap->max_recv_sge, cap->max_inline_data);
	vb_check(ends_test(qp), VB_FIND_WRONG_ATTRIBUTE,
		 now.cap.max_send_wr >= cap->max_send_wr &&
			 now.cap.max_recv_wr >= cap->max_recv_wr,
		 "end %s qp 0x%x: created with depths %u/%u, a query says "
		 "%u/%u",
		 ends_side(qp->end), qp->qpn, cap->max_send_wr,
		 cap->max_recv_wr, now.cap.max_send_wr, now.cap.max_recv_wr);
	cap->max_send_wr = now.cap.max_send_wr;
	cap->max_recv_wr = now.cap.max_recv_wr;
}

struct vb_qp *vb_create_qp_args(struct vb_end *e, const struct vb_qp_args *args)
{
	struct ends *ends = e->ends;
	struct vb_object *cqs[3];
	struct end_qp_made out;
	struct end_qp in;
	struct vb_qp *qp;
	int err = qp_create(e, args, &in, cqs, &out);

	if (err)
		vb_broken(ends->t, "end %s: creating a QP: %s", ends_side(e),
			  strerror(-err));
	if (ends->qps_count == ENDS_QPS_MAX)
		vb_broken(ends->t, "more than %d QPs in one case",
			  ENDS_QPS_MAX);
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		vb_broken(ends->t, "no memory for a QP");
	qp->end = e;
	qp->ends = ends;
	qp->id = out.id;
	qp->qpn = out.qpn;
	qp->index = e->qps++;
	qp->generation = 1;
	qp->type = in.type;
	qp->cap = out.cap;
	qp->sig_all = args->sig_all;
	qp->builder = in.builder;
	qp->pd = args->pd ? args->pd : e->pd;
	qp->send_cq = cqs[0];
	qp->recv_cq = cqs[1];
	qp->srq = cqs[2];
	qp->srq_own = qp->srq && !args->srq;
	if (qp->srq) {
		qp->cap.max_recv_wr = qp->srq->srq_attr.max_wr;
		qp->cap.max_recv_sge = qp->srq->srq_attr.max_sge;
	}
	qp->state = IBV_QPS_RESET;
	ends->qps[ends->qps_count++] = qp;
	qp_cap_judge(qp, &in.cap);
	qp_params(qp);
	qp_books_open(qp);
	qp_pairing_make(qp);
	return qp;
}

void vb_create_qp_refused_args(struct vb_end *e, const struct vb_qp_args *args)
{
	struct vb_object *cqs[3];
	struct end_qp_made out;
	struct end_qp in;
	int err = qp_create(e, args, &in, cqs, &out);

	if (!err) {
		struct end_object id = { .id = out.id };
		struct end_nothing none;

		(void)e->ops->destroy(e->host, &id, &none);
	}
	vb_check(
		e->ends->t, VB_FIND_WRONG_RETURN, err,
		"end %s: a QP of type %d with depths %u/%u, SGEs %u/%u, inline "
		"%u was created, it must be refused",
		ends_side(e), (int)in.type, in.cap.max_send_wr,
		in.cap.max_recv_wr, in.cap.max_send_sge, in.cap.max_recv_sge,
		in.cap.max_inline_data);
}

/* With the second of a pair nobody can ask for their messages any more. */
static void qp_forget(struct vb_qp *qp)
{
	struct vb_qp *peer = qp->peer;

	if (!peer || !peer->gone || peer->peer != qp)
		return;
	pairing_destroy(peer->out);
	peer->out = NULL;
	/* A queue pair may be its own peer. */
	pairing_destroy(qp->out);
	qp->out = NULL;
}

void ends_qp_gone(struct vb_qp *qp)
{
	cm_forget(qp);
	qp_books_close(qp);
	qp->changed_ns = clock_now_ns();
	qp->gone = true;
	qp_forget(qp);
	/* Where the way makes it, no case knows of it: as a receive queue is. */
	if (qp->srq_own)
		vb_destroy(qp->srq);
}

int ends_qp_destroy(struct vb_qp *qp)
{
	struct end_object in = { .id = qp->id };
	struct end_nothing out;
	int err;

	ends_progress(qp->ends);
	err = qp->end->ops->destroy(qp->end->host, &in, &out);
	if (!err)
		ends_qp_gone(qp);
	return err;
}

void vb_destroy_qp(struct vb_qp *qp)
{
	int err = ends_qp_destroy(qp);

	vb_check(ends_test(qp), VB_FIND_WRONG_RETURN, !err,
		 "end %s qp 0x%x: destroying it: %s", ends_side(qp->end),
		 qp->qpn, strerror(-err));
}

const struct ibv_qp_cap *vb_qp_cap(const struct vb_qp *qp)
{
	return &qp->cap;
}

uint32_t vb_qp_num(const struct vb_qp *qp)
{
	return qp->qpn;
}

struct vb_end *vb_qp_end(const struct vb_qp *qp)
{
	return qp->end;
}

void vb_unordered(struct vb_qp *qp)
{
	ledger_queue_unordered(qp->sq);
	ledger_queue_unordered(qp->rq);
}

bool vb_posts_whole(const struct vb_qp *qp)
{
	return qp->builder;
}

struct vb_object *vb_qp_send_cq(const struct vb_qp *qp)
{
	return qp->send_cq;
}

struct vb_object *vb_qp_pd(const struct vb_qp *qp)
{
	return qp->pd;
}

struct vb_object *vb_end_pd(const struct vb_end *e)
{
	return e->pd;
}
