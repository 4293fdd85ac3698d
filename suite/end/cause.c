// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * When a case fails: what both ends know, gathered for the diagnosis.  Called
 * on the way out, so nothing here may end the case.
 */
#include "suite/end/ends.h"
#include "suite/oracle/diagnose.h"
#include "suite/runner/inside.h"

/*
 * Has it changed after @error (NULL: that of nobody)?  What two queues give in
 * one round may have come in either order.
 */
static bool cause_later(const struct vb_qp *qp, const struct vb_qp *error)
{
	if (!error || !error->failure)
		return false;
	return qp->changed_ns > error->failure->completed_ns ||
	       (qp->failure && qp->failed_round > error->failed_round);
}

/* What @qp is in, or that it is gone, is told as far as it was so when @error
 * failed: what came later has not caused that. */
static void cause_state(struct vb_qp *qp, const struct vb_qp *error,
			struct diagnose_end *d)
{
	struct end_object in = { .id = qp->id };
	bool later = cause_later(qp, error);
	struct end_queried out;

	if (qp->gone) {
		d->gone = !later;
		return;
	}
	if (qp->end->ops->query_qp(qp->end->host, &in, &out))
		return;
	d->was_reset = !later && qp->generation > 1 &&
		       (out.now.qp_state == IBV_QPS_RESET ||
			out.now.qp_state == IBV_QPS_INIT);
	dashboard_qp_queried(qp->row, out.now.qp_state);
	d->state_known = !later;
	d->state = out.now.qp_state;
}

static void cause_end(struct vb_qp *qp, const struct vb_qp *error,
		      struct diagnose_end *d)
{
	const unsigned psns = IBV_QP_RQ_PSN | IBV_QP_SQ_PSN | IBV_QP_DEST_QPN |
			      IBV_QP_PATH_MTU;

	d->statuses = qp->statuses;
	d->told_err = qp->told_err;
	d->scribbled = qp->scribbled;
	d->cq_errors = qp->end->cq_errors;
	d->send_failed = qp->failure && qp->failure->send;
	cause_state(qp, error, d);
	d->qp_num = qp->qpn;
	d->attr_known = (qp->set_mask & psns) == psns;
	d->sq_psn = qp->set.sq_psn;
	d->rq_psn = qp->set.rq_psn;
	d->dest_qp_num = qp->set.dest_qp_num;
	d->mtu = qp->set.path_mtu;
	d->rnr_retry = qp->set.rnr_retry;
	d->retry_cnt = qp->set.retry_cnt;
	d->min_rnr_timer = qp->set.min_rnr_timer;
	d->timeout = qp->set.timeout;
	d->pkey_index = qp->set.pkey_index;
	d->access = qp->set.qp_access_flags;
	d->max_dest_rd_atomic = qp->set.max_dest_rd_atomic;
	d->av_known = d->attr_known && qp->set.ah_attr.is_global;
	d->gid = qp->end->opened.gid;
	d->dgid = qp->set.ah_attr.grh.dgid;
	if (qp->gone)
		return;
	d->rq_known = !qp->srq;
	d->rq_left = ledger_queue_outstanding(qp->rq);
	d->owed = (uint32_t)ledger_queue_owed(qp->sq);
	d->unsignaled = (uint32_t)(ledger_queue_outstanding(qp->sq) - d->owed);
	d->cq_known = qp->send_cq == qp->recv_cq;
	d->cq_capacity = qp->send_cq->cqe;
	d->cq_demand = d->owed + d->rq_left;
}

/* What the first request that failed asks of the peer's queue pair. */
static unsigned cause_wanted(const struct vb_qp *qp)
{
	return qp->failure && qp->failure->send
		       ? ends_cause_right(qp->failure->op)
		       : 0;
}

/* The receive that the message which failed was to meet: when was it there?
 * The n-th message meets the n-th receive. */
static enum diagnose_receive cause_receive(const struct vb_qp *qp,
					   const struct vb_qp *peer)
{
	const struct vb_wr *wr = qp->failure;
	const struct ledger_entry *entry;

	if (!wr || !wr->send || !verbs_wr_takes_recv(wr->op) || !peer ||
	    qp->type != IBV_QPT_RC || peer->gone || peer->srq ||
	    peer->peer != qp || peer->generation != qp->remote.generation ||
	    peer->received > wr->number ||
	    ledger_queue_counts(peer->rq)->refused)
		return DIAGNOSE_RECEIVE_UNKNOWN;
	if (wr->number >= ledger_queue_next(peer->rq))
		return DIAGNOSE_RECEIVE_NONE;
	entry = ledger_queue_entry(peer->rq, wr->number);
	if (!entry)
		return DIAGNOSE_RECEIVE_UNKNOWN;
	if (entry->posted_ns > wr->completed_ns)
		return DIAGNOSE_RECEIVE_NONE;
	return entry->posted_ns > wr->posted_ns ? DIAGNOSE_RECEIVE_LATE
						: DIAGNOSE_RECEIVE_READY;
}

/* The first request of @qp that failed, or else the oldest that waits. */
static const struct vb_wr *cause_request(const struct vb_qp *qp)
{
	const struct vb_wr *wr, *oldest = NULL;

	if (qp->failure)
		return qp->failure->send ? qp->failure : NULL;
	for (wr = qp->wrs; wr; wr = wr->next)
		if (wr->send && !wr->refused && !wr->done &&
		    wr->generation == qp->generation)
			oldest = wr;
	return oldest;
}

/* What it was, how long it took, what the books say of its keys. */
static void cause_of_request(const struct vb_qp *qp,
			     struct diagnose_facts *facts)
{
	const struct vb_wr *wr = cause_request(qp);

	if (wr) {
		facts->op_known = true;
		facts->op = wr->op;
	}
	if (!qp->failure)
		return;
	facts->took_ns = qp->failure->completed_ns - qp->failure->posted_ns;
	facts->local = ends_cause_local(qp->failure);
	facts->remote = ends_cause_remote(qp->failure);
}

/* The message of @qp that the receive met which @peer completed last or in
 * vain: the n-th meets the n-th. */
static const struct vb_wr *cause_message(const struct vb_qp *qp,
					 const struct vb_qp *peer)
{
	const struct vb_wr *wr;

	for (wr = qp->wrs; wr; wr = wr->next)
		if (wr->send && !wr->refused && verbs_wr_takes_recv(wr->op) &&
		    wr->generation == qp->generation &&
		    wr->number == peer->received)
			return wr;
	return NULL;
}

/* The receive of @qp that completed last. */
static const struct vb_wr *cause_received(const struct vb_qp *qp)
{
	const struct vb_wr *wr, *last = NULL;

	for (wr = qp->wrs; wr; wr = wr->next)
		if (!wr->send && wr->done &&
		    (!last || wr->completed_ns > last->completed_ns))
			last = wr;
	return last;
}

/* The receive that failed at @peer, and the message that it met. */
static void cause_of_receive(const struct vb_qp *qp, const struct vb_qp *peer,
			     struct diagnose_facts *facts)
{
	const struct vb_wr *recv = peer->failure, *send;

	if (!recv && facts->finding == VB_FIND_WRONG_LENGTH)
		recv = cause_received(peer);
	if (!recv || recv->send)
		return;
	if (peer->failure)
		facts->peer_local = ends_cause_local(recv);
	send = cause_message(qp, peer);
	if (!send || qp->type != IBV_QPT_RC)
		return;
	facts->lengths_known = true;
	facts->message_len = send->len;
	facts->receive_len = recv->len;
}

static bool cause_post_early(const struct ends_refusal *r)
{
	enum ibv_qp_state state = r->qp->state;

	return r->send ? state == IBV_QPS_RESET || state == IBV_QPS_INIT ||
				 state == IBV_QPS_RTR
		       : state == IBV_QPS_RESET;
}

static void cause_of_post(const struct ends_refusal *r,
			  struct diagnose_facts *facts)
{
	const struct ibv_qp_cap *cap = &r->qp->cap;
	const struct ledger_queue *q = r->send ? r->qp->sq : r->qp->rq;

	facts->post_failed = true;
	facts->post_errno = r->err;
	facts->post_capacity = r->send ? cap->max_send_wr : cap->max_recv_wr;
	facts->post_outstanding = (uint32_t)ledger_queue_outstanding(q);
	facts->post_room = facts->post_outstanding < facts->post_capacity;
	facts->post_sges = r->sges;
	facts->post_sges_max = r->send ? cap->max_send_sge : cap->max_recv_sge;
	facts->post_early = cause_post_early(r);
}

static bool cause_responder(const struct vb_qp *qp, enum vb_finding finding)
{
	if (qp->type != IBV_QPT_RC || qp->peer->peer != qp)
		return false;
	return qp->failure ? !qp->failure->send
			   : finding == VB_FIND_WRONG_LENGTH;
}

/* Does anything on it wait for a completion? */
static bool cause_waiting(const struct vb_qp *qp)
{
	return qp && !qp->gone &&
	       (ledger_queue_owed(qp->sq) || ledger_queue_outstanding(qp->rq));
}

/* Whom a case that hangs waits for, as far as the books tell. */
static struct vb_qp *cause_waits(const struct ends *e)
{
	struct vb_qp *receiver = NULL;
	uint32_t i;

	for (i = 0; i < e->qps_count; i++) {
		if (!cause_waiting(e->qps[i]))
			continue;
		if (ledger_queue_owed(e->qps[i]->sq))
			return e->qps[i];
		receiver = receiver ? receiver : e->qps[i];
	}
	return receiver;
}

/* The requester of the two: the end with the more telling error, and of two
 * without any @qp, whom it is about. */
static struct vb_qp *cause_requester(struct vb_qp *qp, enum vb_finding finding)
{
	struct vb_qp *peer = qp->peer;

	if (peer && !(qp->statuses & ~LEDGER_ACCEPT_OK) &&
	    (peer->statuses & ~LEDGER_ACCEPT_OK)) {
		qp = peer;
		peer = qp->peer;
	}
	/* A receive that failed is the responder's side of it. */
	return peer && cause_responder(qp, finding) ? peer : qp;
}

/* What is known without a queue pair at the other side. */
static void cause_of_process(const struct ends *e, struct diagnose_end *d)
{
	d->dead = e->peer && ends_peer_dead(e->peer);
	d->stopped = e->peer && ends_peer_stopped(e->peer);
}

static void cause_gather(const struct ends *e, struct vb_qp *about,
			 struct diagnose_facts *facts)
{
	struct vb_qp *qp = cause_requester(about, facts->finding);
	struct vb_qp *peer = qp->peer;

	cause_end(qp, NULL, &facts->a);
	if (peer)
		cause_end(peer, qp, &facts->b);
	facts->receive = cause_receive(qp, peer);
	ends_cause_arrival(qp, peer, facts);
	facts->wanted = cause_wanted(qp);
	cause_of_request(qp, facts);
	if (peer)
		cause_of_receive(qp, peer, facts);
	else
		cause_of_process(e, &facts->b);
	facts->succeeded = facts->finding == VB_FIND_WRONG_STATUS &&
			   !qp->sq_failed && !qp->rq_failed &&
			   !(qp->statuses & ~LEDGER_ACCEPT_OK) &&
			   !(peer && peer->failure);
	if (facts->finding == VB_FIND_WRONG_RETURN && e->refusal.qp == about)
		cause_of_post(&e->refusal, facts);
	facts->waits = facts->finding == VB_FIND_HANG && cause_waiting(about);
	if (facts->finding == VB_FIND_LOST || facts->waits)
		ends_cause_datagram(about, facts);
}

void vb_ends_diagnose(struct vb_test *t, enum vb_finding finding,
		      struct strbuf *out)
{
	struct diagnose_facts facts = { .finding = finding };
	const struct ends *e = t->ends;
	struct vb_qp *about = e ? e->focus : NULL;
	struct diagnosis d[DIAGNOSE_CAUSES];

	if (e && finding == VB_FIND_HANG && !cause_waiting(about))
		about = cause_waits(e);
	if (!about)
		return;
	cause_gather(e, about, &facts);
	diagnose_print(&facts, d, diagnose_ranked(&facts, d, DIAGNOSE_CAUSES),
		       out);
}
