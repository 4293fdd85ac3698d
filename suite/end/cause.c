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

static unsigned cause_access(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_ACCESS_REMOTE_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_ACCESS_REMOTE_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_ACCESS_REMOTE_ATOMIC;
	default:
		return 0;
	}
}

/* What the first request that failed asks of the peer's queue pair. */
static unsigned cause_wanted(const struct vb_qp *qp)
{
	return qp->failure && qp->failure->send ? cause_access(qp->failure->op)
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

void vb_ends_diagnose(struct vb_test *t, enum vb_finding finding,
		      struct strbuf *out)
{
	struct diagnose_facts facts = { .finding = finding };
	struct ends *e = t->ends;
	struct vb_qp *qp = e ? e->focus : NULL;
	struct vb_qp *peer = qp ? qp->peer : NULL;
	struct diagnosis d;

	if (!qp)
		return;
	/* The requester is the one with the more telling error, and of two
	 * without any the one in focus. */
	if (peer && !(qp->statuses & ~LEDGER_ACCEPT_OK) &&
	    (peer->statuses & ~LEDGER_ACCEPT_OK)) {
		qp = peer;
		peer = qp->peer;
	}
	cause_end(qp, NULL, &facts.a);
	if (peer)
		cause_end(peer, qp, &facts.b);
	facts.receive = cause_receive(qp, peer);
	facts.wanted = cause_wanted(qp);
	diagnose(&facts, &d);
	diagnose_print(&d, out);
}
