// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Judging one completion, in the order: whose is it, was it owed, does the
 * order hold, are status and fields right. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "suite/oracle/ledger.h"
#include "suite/oracle/ledger_inner.h"

/* The first complaint about a completion is the one told. */
struct ledger_judgement {
	const struct ibv_wc *wc;
	struct complaint *complaint;
	int result; /* 0 or -EBADMSG */
};

static void ledger_blame(struct ledger_judgement *j, enum vb_finding finding,
			 const char *format, ...) PRINTF_LIKE(3, 4);

/* "<the work request> <what it did>"; the name is made only when needed. */
static void ledger_blame(struct ledger_judgement *j, enum vb_finding finding,
			 const char *format, ...)
{
	char name[WRID_TEXT_MAX];
	char what[256];
	va_list args;

	if (j->result != 0)
		return;
	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	j->result = complaint_set(j->complaint, finding, j->wc->wr_id, "%s %s",
				  wrid_text(j->wc->wr_id, name), what);
}

/* Is @generation an incarnation before @live, in 12-bit circular order? */
static bool ledger_older(uint32_t generation, uint32_t live)
{
	uint32_t behind = (live - generation) % WRID_GENERATIONS;

	return behind != 0 && behind < WRID_GENERATIONS / 2;
}

/* The sequence near the queue's head that ends in @low. */
static int64_t ledger_widen(const struct ledger_queue *q, uint32_t low)
{
	uint32_t ahead =
		(low - (uint32_t)(q->head % WRID_SEQUENCES)) % WRID_SEQUENCES;

	if (ahead < WRID_SEQUENCES / 2)
		return (int64_t)q->head + ahead;
	return (int64_t)q->head + ahead - (int64_t)WRID_SEQUENCES;
}

/*
 * Whose completion is it?  0 and the queue, -ESTALE, or -EBADMSG.
 */
static int ledger_identify(struct ledger *l, const struct ledger_source *source,
			   struct ledger_judgement *j, struct wrid *id,
			   struct ledger_queue **queue)
{
	const struct ledger_slot *slot;

	if (wrid_decode(j->wc->wr_id, id)) {
		ledger_blame(j, VB_FIND_FOREIGN,
			     "completed with %s on qp_num 0x%x",
			     verbs_wc_status_name(j->wc->status),
			     j->wc->qp_num);
		return j->result;
	}
	if (id->end != source->end || id->qp_index >= l->qps_max) {
		ledger_blame(j, VB_FIND_FOREIGN,
			     "completed at end %c, which never posted it",
			     'a' + (int)source->end);
		return j->result;
	}
	slot = ledger_slot(l, id->end, id->queue, id->qp_index);
	if (slot->known &&
	    (ledger_older(id->generation, slot->generation) ||
	     (!slot->open && id->generation == slot->generation))) {
		l->stale++;
		if (slot->open)
			slot->open->counts.stale++;
		return -ESTALE;
	}
	if (!slot->open || id->generation != slot->generation) {
		ledger_blame(j, VB_FIND_FOREIGN,
			     "completed, but that queue was never opened");
		return j->result;
	}
	*queue = slot->open;
	return 0;
}

/* The POSTED entry of the completion, or NULL with a complaint. */
static struct ledger_entry *ledger_lookup(struct ledger_queue *q,
					  const struct wrid *id,
					  struct ledger_judgement *j)
{
	int64_t sequence = ledger_widen(q, id->sequence);
	struct ledger_entry *e;

	if (sequence >= (int64_t)q->head) {
		ledger_blame(
			j, VB_FIND_EARLY,
			"completed before it was posted: the next post is #%" PRIu64,
			q->head);
		return NULL;
	}
	e = sequence < 0 ? NULL : ledger_queue_entry(q, (uint64_t)sequence);
	if (!e) {
		ledger_blame(j, VB_FIND_DUPLICATED,
			     "completed again, long after it was settled");
		return NULL;
	}
	switch (e->state) {
	case LEDGER_POSTED:
		return e;
	case LEDGER_SILENT:
		ledger_blame(j, VB_FIND_DUPLICATED,
			     "completed with %s after #%" PRIu64
			     " had settled it",
			     verbs_wc_status_name(j->wc->status),
			     e->settled_by);
		return NULL;
	case LEDGER_REFUSED:
		ledger_blame(j, VB_FIND_FOREIGN,
			     "completed with %s, but its post was refused",
			     verbs_wc_status_name(j->wc->status));
		return NULL;
	default:
		ledger_blame(j, VB_FIND_DUPLICATED,
			     "completed again with %s, first with %s",
			     verbs_wc_status_name(j->wc->status),
			     verbs_wc_status_name(e->wc.status));
		return NULL;
	}
}

/* An SRQ's receive completes on any QP that its end has open. */
static bool ledger_qp_num_known(const struct ledger *l, uint32_t end,
				uint32_t qp_num)
{
	for (uint32_t i = 0; i < l->qps_max; i++) {
		const struct ledger_queue *q =
			ledger_slot(l, end, WRID_SQ, i)->open;

		if (q && q->spec.qp_num == qp_num)
			return true;
	}
	return false;
}

static void ledger_judge_place(const struct ledger_queue *q,
			       const struct ledger_source *source,
			       struct ledger_judgement *j)
{
	uint32_t qp_num = j->wc->qp_num;

	/* Receives of an SRQ come on the CQ of whichever QP took them. */
	if (q->spec.kind == WRID_SRQ) {
		if (!ledger_qp_num_known(q->ledger, q->spec.end, qp_num))
			ledger_blame(
				j, VB_FIND_FOREIGN,
				"completed with qp_num 0x%x, which is no queue pair of ours",
				qp_num);
		return;
	}
	if (source->cq != q->spec.cq)
		ledger_blame(j, VB_FIND_FOREIGN,
			     "completed on cq %u, but its cq is %u", source->cq,
			     q->spec.cq);
	if (qp_num != q->spec.qp_num)
		ledger_blame(j, VB_FIND_FOREIGN,
			     "completed with qp_num 0x%x, must be 0x%x", qp_num,
			     q->spec.qp_num);
}

/*
 * Everything before @e must be settled.  Unsignaled sends that owe nothing
 * are, by this completion; what owes one is a gap.
 */
static void ledger_judge_order(struct ledger_queue *q,
			       const struct ledger_entry *e,
			       struct ledger_judgement *j)
{
	if (q->spec.kind == WRID_SRQ || q->unordered)
		return;
	for (uint64_t s = q->walked; s < e->sequence; s++) {
		struct ledger_entry *before = ledger_at(q, s);

		if (before->state != LEDGER_POSTED)
			continue;
		if (q->spec.kind != WRID_SQ || ledger_owes(q, before)) {
			ledger_blame(j, VB_FIND_OUT_OF_ORDER,
				     "completed with %s before #%" PRIu64
				     ", which is still owed",
				     verbs_wc_status_name(j->wc->status),
				     before->sequence);
			continue;
		}
		before->settled_by = e->sequence;
		q->counts.silent++;
		ledger_settle(q, before, LEDGER_SILENT);
	}
	if (q->walked < e->sequence)
		q->walked = e->sequence;
}

/* What @e may complete with, now. */
static uint32_t ledger_accepted(const struct ledger_queue *q,
				const struct ledger_entry *e)
{
	uint32_t accept = e->accept;

	if (accept == LEDGER_ACCEPT_ANY)
		return accept;
	if (q->failed && e->sequence > q->failed_at)
		return LEDGER_ACCEPT_FLUSH | (accept & ~LEDGER_ACCEPT_OK);
	if (q->flush_expected)
		accept |= LEDGER_ACCEPT_FLUSH;
	return accept;
}

static void ledger_judge_status(const struct ledger_queue *q,
				const struct ledger_entry *e,
				struct ledger_judgement *j)
{
	uint32_t accept = ledger_accepted(q, e);
	enum ibv_wc_status status = j->wc->status;
	bool behind = q->failed && e->sequence > q->failed_at;
	char set[160];

	if (behind && status == IBV_WC_SUCCESS && accept != LEDGER_ACCEPT_ANY) {
		ledger_blame(
			j, VB_FIND_WRONG_STATUS,
			"completed with SUCCESS behind the failed #%" PRIu64,
			q->failed_at);
		return;
	}
	if ((unsigned)status < 32 && (accept & VERBS_STATUS_BIT(status)))
		return;
	ledger_blame(j, VB_FIND_WRONG_STATUS,
		     "completed with %s (%d, vendor_err 0x%x), must be %s",
		     verbs_wc_status_name(status), (int)status,
		     j->wc->vendor_err,
		     verbs_status_set_text(accept, set, sizeof(set)));
}

static void ledger_judge_send(const struct ledger_queue *q,
			      const struct ledger_entry *e,
			      struct ledger_judgement *j)
{
	enum ibv_wc_opcode opcode = verbs_wc_opcode_of(e->opcode);

	if (!ledger_owes(q, e))
		ledger_blame(j, VB_FIND_WRONG_COUNT,
			     "completed with SUCCESS, but it is unsignaled");
	if (j->wc->opcode != opcode)
		ledger_blame(j, VB_FIND_WRONG_FIELD,
			     "completed with opcode %s (%d), must be %s",
			     verbs_wc_opcode_name(j->wc->opcode),
			     (int)j->wc->opcode, verbs_wc_opcode_name(opcode));
}

static void ledger_judge_recv(const struct ledger_entry *e,
			      struct ledger_judgement *j)
{
	const struct ibv_wc *wc = j->wc;
	/* A write with immediate leaves the receive's buffers alone. */
	bool write = wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM;

	if (wc->opcode != IBV_WC_RECV && !write)
		ledger_blame(
			j, VB_FIND_WRONG_FIELD,
			"completed with opcode %s (%d), must be RECV or RECV_RDMA_WITH_IMM",
			verbs_wc_opcode_name(wc->opcode), (int)wc->opcode);
	if (!write && wc->byte_len > e->len)
		ledger_blame(j, VB_FIND_WRONG_LENGTH,
			     "completed with byte_len %u, its room is %" PRIu64,
			     wc->byte_len, e->len);
}

static struct ledger_queue *ledger_sibling(const struct ledger_queue *q)
{
	enum wrid_queue other = q->spec.kind == WRID_SQ ? WRID_RQ : WRID_SQ;

	return ledger_slot(q->ledger, q->spec.end, other, q->spec.qp_index)
		->open;
}

/* What an error completion means for the rest of the queue pair. */
static void ledger_spread(struct ledger_queue *q, const struct ledger_entry *e,
			  enum ibv_wc_status status)
{
	bool rc = q->spec.qp_type == IBV_QPT_RC;
	struct ledger_queue *sibling;

	if (q->spec.kind == WRID_SRQ)
		return;
	/* A datagram or UC receive may fail alone. */
	if (!rc && q->spec.kind == WRID_RQ && status != IBV_WC_WR_FLUSH_ERR)
		return;
	if (!q->failed) {
		q->failed = true;
		q->failed_at = e->sequence;
	}
	sibling = rc ? ledger_sibling(q) : NULL;
	if (sibling)
		ledger_flush_expected(sibling);
}

static void ledger_count(struct ledger_queue *q, enum ibv_wc_status status)
{
	if (status == IBV_WC_SUCCESS)
		q->counts.succeeded++;
	else if (status == IBV_WC_WR_FLUSH_ERR)
		q->counts.flushed++;
	else
		q->counts.failed++;
}

int ledger_complete(struct ledger *l, const struct ledger_source *source,
		    const struct ibv_wc *wc, struct ledger_entry **entry,
		    struct complaint *complaint)
{
	struct ledger_judgement j = { .wc = wc, .complaint = complaint };
	struct ledger_queue *q = NULL;
	struct ledger_entry *e = NULL;
	struct wrid id;
	int err;

	*entry = NULL;
	err = ledger_identify(l, source, &j, &id, &q);
	if (err == -ESTALE)
		return err;
	if (!err)
		e = ledger_lookup(q, &id, &j);
	if (!e)
		goto out;
	*entry = e;
	ledger_judge_place(q, source, &j);
	ledger_judge_order(q, e, &j);
	ledger_judge_status(q, e, &j);
	/* Of an error completion nothing else is valid (CMP-09). */
	if (wc->status == IBV_WC_SUCCESS && q->spec.kind == WRID_SQ)
		ledger_judge_send(q, e, &j);
	else if (wc->status == IBV_WC_SUCCESS)
		ledger_judge_recv(e, &j);
	e->wc = *wc;
	ledger_settle(q, e, LEDGER_DONE);
	ledger_count(q, wc->status);
	if (wc->status != IBV_WC_SUCCESS)
		ledger_spread(q, e, wc->status);
out:
	if (j.result) {
		l->complaints++;
		if (q)
			q->counts.complaints++;
	}
	return j.result;
}
