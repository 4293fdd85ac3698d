// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One completion, from its poll to the last byte of its buffer:
 *
 *	completion -> ledger -> order -> pairing (receives) -> content, guards
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "suite/end/ends.h"
#include "suite/end/remote.h"
#include "suite/oracle/recorder.h"

const char *ends_wr_text(const struct vb_wr *wr, char *text, size_t room)
{
	char id[WRID_TEXT_MAX];

	snprintf(text, room, "%s (%s, %u bytes)", wrid_text(wr->wr_id, id),
		 wr->send ? verbs_wr_opcode_name(wr->op) : "receive", wr->len);
	return text;
}

unsigned ends_patience_ms(const struct vb_qp *qp)
{
	const struct ibv_qp_attr *far = qp->peer ? &qp->peer->set : &qp->set;
	const struct ibv_qp_attr *near = &qp->set;
	uint64_t ack = vb_ack_timeout_ns(near->timeout), sum = 0;
	uint64_t rnr = vb_rnr_timer_ns(far->min_rnr_timer);
	const uint64_t most = 60 * NS_PER_S;

	if (near->timeout)
		sum += 4 * ack * (near->retry_cnt + 1u);
	if (near->rnr_retry < 7)
		sum += 4 * rnr * (near->rnr_retry + 1u);
	sum = sum < most ? sum : most;
	return ENDS_SLACK_MS + (unsigned)(sum / NS_PER_MS);
}

struct vb_qp *ends_qp_by_number(struct ends *e, const struct vb_end *end,
				uint32_t qpn)
{
	uint32_t i;

	for (i = 0; i < e->qps_count; i++)
		if (e->qps[i]->end == end && e->qps[i]->qpn == qpn &&
		    !e->qps[i]->gone)
			return e->qps[i];
	return NULL;
}

/* Messages below @count have arrived. */
static void judge_acknowledge(struct vb_qp *qp, uint64_t count)
{
	if (qp->type != IBV_QPT_RC)
		return;
	for (; qp->acknowledged < count; qp->acknowledged++)
		pairing_acknowledged(qp->out, qp->acknowledged);
}

bool ends_holds(struct vb_wr *wr, const struct end_verify *in,
		struct complaint *c)
{
	struct end_verified out;
	int err = wr->end->ops->verify(wr->end->host, in, &out);
	char text[ENDS_TEXT];

	if (err)
		vb_broken(wr->end->ends->t, "verifying a buffer: %s",
			  strerror(-err));
	if (!out.good)
		complaint_set(c, out.complaint.finding, wr->wr_id, "%s: %s",
			      ends_wr_text(wr, text, sizeof(text)),
			      out.complaint.text);
	return out.good;
}

static void judge_verify(struct vb_wr *wr, const struct end_verify *in)
{
	struct complaint c;

	if (wr->end->remote)
		end_remote_trust(wr);
	if (!ends_holds(wr, in, &c))
		ends_complain(wr->end->ends, &c);
}

/* Which message must this receive hold?  False: it cannot be known. */
static bool judge_meet(struct vb_wr *wr, struct end_verify *in)
{
	struct vb_qp *qp = wr->qp;
	struct pairing_message m;
	struct complaint c;

	in->len = wr->wc.byte_len;
	if (!qp->origin_known)
		return false;
	in->payload.key = pattern_key(qp->ends->t->seed, &qp->origin);
	in->payload.sequence = qp->received++;
	in->payload.len = in->len;
	in->payload.qp_num = qp->remote.qpn;
	if (!qp->peer)
		return true;
	if (pairing_received(qp->peer->out, &wr->wc, &m, &c))
		ends_complain(qp->ends, &c);
	wr->met = m.user;
	in->payload.sequence = m.number;
	in->payload.len = m.len;
	if (m.opcode != IBV_WR_RDMA_WRITE_WITH_IMM)
		return true;
	/* It takes a receive, but leaves its buffer alone. */
	in->len = 0;
	in->payload.len = 0;
	if (wr->met->qp == qp->peer && wr->met->number == m.number)
		ends_effect_arrived(wr->met);
	return true;
}

void ends_verify_begin(struct vb_wr *wr, struct pattern_context *context,
		       struct end_verify *in)
{
	const struct ends *e = wr->end->ends;

	*context = (struct pattern_context){
		.known = e->known,
		.known_count = e->known_count,
		.expected = wr->qp->origin,
	};
	*in = (struct end_verify){ .place = wr->place,
				   .len = wr->wc.byte_len,
				   .context = context };
}

static void judge_received(struct vb_wr *wr)
{
	struct pattern_context context;
	struct end_verify in;

	if (wr->wc.status == IBV_WC_SUCCESS && wr->qp->loose &&
	    (wr->qp->peer || wr->qp->type == IBV_QPT_UD)) {
		ends_loose_received(wr);
		return;
	}
	ends_verify_begin(wr, &context, &in);
	if (wr->wc.status != IBV_WC_SUCCESS || !judge_meet(wr, &in))
		in.guards_only = true;
	judge_verify(wr, &in);
}

static void judge_sent(struct vb_wr *wr)
{
	struct end_verify in = { .place = wr->place, .send = true };

	if (wr->wc.status == IBV_WC_SUCCESS)
		judge_acknowledge(wr->qp, wr->acks);
	ends_effects_settle(wr);
	judge_verify(wr, &in);
}

/*
 * Receives of an SRQ belong to no queue pair until they are used: only the one
 * that a message was in when its queue pair failed may fail with it (SRQ-10,
 * SRQ-11).
 */
static void judge_srq_order(struct vb_wr *wr)
{
	struct vb_qp *qp = wr->qp;
	enum ibv_wc_status status = wr->wc.status;
	struct complaint c;
	char text[ENDS_TEXT];

	if (status == IBV_WC_SUCCESS && !qp->srq_errors)
		return;
	if (status != IBV_WC_SUCCESS && !qp->srq_errors++)
		return;
	if (qp->type != IBV_QPT_RC)
		return;
	complaint_set(&c, VB_FIND_WRONG_STATUS, wr->wr_id,
		      "%s completed with %s on qp 0x%x behind an error: the "
		      "receives of an SRQ are not flushed with a queue pair",
		      ends_wr_text(wr, text, sizeof(text)),
		      verbs_wc_status_name(status), qp->qpn);
	ends_complain(qp->ends, &c);
}

/*
 * After an error nothing on that queue is executed any more: what follows is
 * flushed.  (The receives of UC and UD may fail one at a time.)
 */
static void judge_order(struct vb_wr *wr)
{
	struct vb_qp *qp = wr->qp;
	enum ibv_wc_status status = wr->wc.status;
	bool *failed = wr->send ? &qp->sq_failed : &qp->rq_failed;
	bool alone = !wr->send && qp->type != IBV_QPT_RC;
	struct complaint c;
	char text[ENDS_TEXT];

	if (wr->srq) {
		judge_srq_order(wr);
		return;
	}
	if (*failed && status != IBV_WC_WR_FLUSH_ERR) {
		complaint_set(&c, VB_FIND_WRONG_STATUS, wr->wr_id,
			      "%s completed with %s behind an error on its "
			      "queue, must be WR_FLUSH_ERR",
			      ends_wr_text(wr, text, sizeof(text)),
			      verbs_wc_status_name(status));
		ends_complain(qp->ends, &c);
	}
	if (status == IBV_WC_WR_FLUSH_ERR ||
	    (status != IBV_WC_SUCCESS && !alone))
		*failed = true;
}

/*
 * A flush explains itself when the case has moved the queue pair to ERR, or
 * when an error on either side, which must be explained itself, came before.
 */
static void judge_explain(struct vb_wr *wr)
{
	const struct vb_qp *qp = wr->qp;

	if (wr->wc.status == IBV_WC_WR_FLUSH_ERR &&
	    (qp->told_err || qp->errors || (qp->peer && qp->peer->errors)))
		wr->judged = true;
}

/*
 * The ledger takes a flush for right behind an error, or a modify to ERR, that
 * was none of the stream's: to the stream it is as wrong as any.
 */
static void judge_stream(struct vb_wr *wr)
{
	struct vb_wr *error = ends_unexplained(wr->qp);

	if (!wr->stream || wr->wc.status == IBV_WC_SUCCESS)
		return;
	ends_failure_tell(error ? error : wr, wr, "belongs to a stream");
}

static void judge_settled(struct ends *e, struct ledger_entry *entry,
			  const struct ibv_wc *wc, uint64_t silent)
{
	struct vb_wr *wr = entry->user;

	wr->wc = *wc;
	wr->done = true;
	if (wr->srq)
		wr->generation = wr->qp->generation;
	wr->qp->completions++;
	wr->completed_ns = entry->completed_ns = clock_now_ns();
	judge_explain(wr);
	ends_failure_note(wr);
	if (wr->walker)
		ends_walk_done(wr);
	judge_order(wr);
	judge_stream(wr);
	if (wr->send) {
		dashboard_send_done(wr->qp->row, wc->status, 1 + silent);
		judge_sent(wr);
	} else {
		dashboard_recv_done(wr->qp->row, wc->status);
		judge_received(wr);
	}
	if (wr->stream)
		ends_stream_done(wr);
}

static uint64_t judge_silent(const struct ledger_entry *e)
{
	return ledger_queue_counts(e->queue)->silent;
}

/* The queue pair that took a receive of an SRQ, on whose CQ it comes. */
static void judge_taken(struct ends *e, const struct vb_object *cq,
			struct vb_wr *wr, const struct ibv_wc *wc)
{
	char text[ENDS_TEXT];
	struct complaint c;

	wr->qp = ends_qp_by_number(e, cq->end, wc->qp_num);
	if (wr->qp && wr->qp->srq == wr->srq && wr->qp->recv_cq == cq)
		return;
	complaint_set(&c, VB_FIND_FOREIGN, wr->wr_id,
		      "%s completed with qp_num 0x%x, %s",
		      ends_wr_text(wr, text, sizeof(text)), wc->qp_num,
		      !wr->qp		       ? "which is gone"
		      : wr->qp->srq != wr->srq ? "which does not use its SRQ"
					       : "on the CQ of another");
	ends_complain(e, &c);
}

/* Of a generation that is over: counted, recorded, and no more. */
static void judge_stale(struct ends *e, const struct ibv_wc *wc)
{
	const struct vb_qp *qp = ends_qp_of(e, wc->wr_id);
	const struct recorder_record r = {
		.call = RECORDER_STALE,
		.end = qp ? qp->end->side : UINT8_MAX,
		.object = wc->qp_num,
		.args = { wc->wr_id, wc->status },
	};

	recorder_write(e->recorder, &r);
	if (qp)
		dashboard_stale(qp->row);
}

/* The ledger has found fault with the completion of @wr: what the diagnosis
 * needs to know of it. */
static void judge_fault(struct ends *e, const struct vb_object *cq,
			struct vb_wr *wr, const struct ibv_wc *wc)
{
	if (wr->srq)
		wr->qp = ends_qp_by_number(e, cq->end, wc->qp_num);
	e->focus = wr->qp;
	if (!wr->qp || wr->done)
		return;
	wr->wc = *wc;
	wr->done = true;
	wr->completed_ns = clock_now_ns();
	ends_failure_note(wr);
}

void ends_judge(struct ends *e, const struct vb_object *cq,
		const struct ibv_wc *wc)
{
	const struct ledger_source source = { .end = cq->end->side,
					      .cq = cq->id };
	struct ledger_entry *entry;
	struct vb_wr *wr;
	struct complaint c;
	struct vb_qp *focus = e->focus;
	uint64_t silent;
	int err;

	err = ledger_complete(e->ledger, &source, wc, &entry, &c);
	if (err == -ESTALE) {
		judge_stale(e, wc);
		return;
	}
	e->focus = NULL;
	if (err && entry)
		judge_fault(e, cq, entry->user, wc);
	if (err)
		ends_complain(e, &c);
	wr = entry->user;
	if (wr->srq)
		judge_taken(e, cq, wr, wc);
	e->focus = wr->qp;
	silent = judge_silent(entry);
	judge_settled(e, entry, wc, wr->send ? silent - wr->qp->silent : 0);
	if (wr->send)
		wr->qp->silent = silent;
	/* Nothing to complain of: what the case waits for is in focus again. */
	e->focus = focus;
}
