// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * When a case fails: what both ends know, gathered for the diagnosis.  Called
 * on the way out, so nothing here may end the case.
 */
#include "suite/end/ends.h"
#include "suite/oracle/diagnose.h"
#include "suite/runner/inside.h"

static void cause_state(struct vb_qp *qp, struct diagnose_end *d)
{
	struct end_object in = { .id = qp->id };
	struct end_queried out;

	d->gone = qp->gone;
	if (qp->gone || qp->end->ops->query_qp(qp->end->host, &in, &out))
		return;
	d->state_known = true;
	d->state = out.now.qp_state;
}

static void cause_end(struct vb_qp *qp, struct diagnose_end *d)
{
	const unsigned psns = IBV_QP_RQ_PSN | IBV_QP_SQ_PSN | IBV_QP_DEST_QPN |
			      IBV_QP_PATH_MTU;

	d->statuses = qp->statuses;
	d->told_err = qp->told_err;
	cause_state(qp, d);
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
	if (qp->gone)
		return;
	d->rq_known = true;
	d->rq_left = ledger_queue_outstanding(qp->rq);
	d->owed = (uint32_t)ledger_queue_owed(qp->sq);
	d->unsignaled = (uint32_t)(ledger_queue_outstanding(qp->sq) - d->owed);
	d->cq_known = qp->send_cq == qp->recv_cq;
	d->cq_capacity = qp->send_cq->cqe;
	d->cq_demand = d->owed + d->rq_left;
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
	cause_end(qp, &facts.a);
	if (peer)
		cause_end(peer, &facts.b);
	diagnose(&facts, &d);
	diagnose_print(&d, out);
}
