// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a case expects of one work request, of a message, of a state. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/end/ends.h"
#include "suite/oracle/matrix.h"

static bool expect_done(void *arg)
{
	const struct vb_wr *wr = arg;

	return wr->done;
}

static bool expect_over(void *arg)
{
	struct ends_hope *hope = arg;

	return hope->wr->done || ends_hopeless(hope);
}

/* Of an SRQ's receive, the most that any queue pair may need. */
static unsigned expect_patience_ms(const struct vb_wr *wr)
{
	const struct ends *e = wr->end->ends;
	unsigned most = ENDS_SLACK_MS, ms;
	uint32_t i;

	if (wr->qp)
		return ends_patience_ms(wr->qp);
	for (i = 0; i < e->qps_count; i++) {
		ms = ends_patience_ms(e->qps[i]);
		most = ms > most ? ms : most;
	}
	return most;
}

/* A send queue works in order: what holds it up may stand before @wr, and be
 * one that nobody waits for. */
static void expect_note_oldest(struct vb_wr *wr)
{
	struct ledger_entry *entry, *oldest = NULL;
	struct strbuf text = STRBUF_INIT;

	if (!wr->send)
		return;
	for (uint64_t seq = wr->sequence; seq-- > 0; oldest = entry) {
		entry = ledger_queue_entry(wr->qp->sq, seq);
		if (!entry || entry->state != LEDGER_POSTED)
			break;
	}
	if (!oldest)
		return;
	ledger_entry_print(oldest, &text);
	vb_note(wr->end->ends->t, "the oldest that its queue still has is %s",
		strbuf_text(&text));
	strbuf_free(&text);
}

/* Wait for it; its owner's patience is that of its queue pair's timers. */
static void expect_completion(struct vb_wr *wr)
{
	struct vb_test *t = wr->end->ends->t;
	unsigned ms = expect_patience_ms(wr);
	struct ends_hope hope = { .wr = wr };
	char text[ENDS_TEXT], why[ENDS_FAILURE_TEXT];

	wr->end->ends->focus = wr->qp;
	if (wr->refused)
		vb_broken(t, "waiting for a work request that was refused");
	if (!wr->done && wr->qp && wr->generation != wr->qp->generation)
		vb_broken(t, "waiting for %s, of before a reset",
			  ends_wr_text(wr, text, sizeof(text)));
	if (!ends_already(wr->end->ends, expect_done, wr) &&
	    !ends_wait(wr->end->ends, vb_deadline(t, ms), expect_over, &hope)) {
		expect_note_oldest(wr);
		vb_fail(t, VB_FIND_LOST,
			"%s has not completed %llu ms after its post%s%s%s",
			ends_wr_text(wr, text, sizeof(text)),
			(clock_now_ns() - wr->posted_ns) / NS_PER_MS,
			wr->qp ? "; its queue pair is in " : "",
			wr->qp ? verbs_qp_state_name(vb_state(wr->qp)) : "",
			ends_failure_text(wr->qp, why, sizeof(why)));
	}
	if (!wr->done)
		ends_failure_tell(hope.error, wr, "waits for its peer in vain");
}

static enum ibv_wc_status expect_among(struct vb_wr *wr, uint32_t accept)
{
	struct vb_test *t = wr->end->ends->t;
	char text[ENDS_TEXT], set[160];

	expect_completion(wr);
	if (!(accept & LEDGER_ACCEPT_FLUSH))
		ends_failure_flushed(wr);
	wr->judged = true;
	if (wr->send && ends_iwarp(wr->end))
		accept = matrix_iwarp(wr->op, accept);
	vb_check(t, VB_FIND_WRONG_STATUS,
		 (unsigned)wr->wc.status < 32 &&
			 (accept & VERBS_STATUS_BIT(wr->wc.status)),
		 "%s completed with %s (%d, vendor_err 0x%x), must be %s",
		 ends_wr_text(wr, text, sizeof(text)),
		 verbs_wc_status_name(wr->wc.status), (int)wr->wc.status,
		 wr->wc.vendor_err,
		 verbs_status_set_text(accept, set, sizeof(set)));
	return wr->wc.status;
}

void vb_expect_wc(struct vb_wr *wr, enum ibv_wc_status status)
{
	expect_among(wr, VERBS_STATUS_BIT(status));
}

enum ibv_wc_status vb_expect_wc_list(struct vb_wr *wr,
				     const enum ibv_wc_status *statuses,
				     uint32_t count)
{
	uint32_t accept = 0, i;

	for (i = 0; i < count; i++)
		accept |= VERBS_STATUS_BIT(statuses[i]);
	return expect_among(wr, accept);
}

uint64_t vb_stale(struct vb_test *t)
{
	return ledger_stale(ends_of(t)->ledger);
}

void vb_expect_pending(struct vb_wr *wr, unsigned ms)
{
	struct vb_test *t = wr->end->ends->t;
	char text[ENDS_TEXT];

	if (ends_wait(wr->end->ends, vb_deadline(t, ms), expect_done, wr))
		vb_fail(t, VB_FIND_EARLY,
			"%s completed with %s after %llu us, before it could be done",
			ends_wr_text(wr, text, sizeof(text)),
			verbs_wc_status_name(wr->wc.status),
			vb_took_ns(wr) / NS_PER_US);
	vb_checked(t);
}

bool vb_completed(struct vb_wr *wr)
{
	ends_progress(wr->end->ends);
	return wr->done;
}

uint64_t vb_took_ns(const struct vb_wr *wr)
{
	return wr->completed_ns - wr->posted_ns;
}

static void expect_verify(struct vb_wr *wr, const struct end_verify *in,
			  const char *what)
{
	struct vb_end *end = wr->end;
	struct end_verified out;
	char text[ENDS_TEXT];
	int err = end->ops->verify(end->host, in, &out);

	if (err)
		vb_broken(end->ends->t, "verifying a buffer: %s",
			  strerror(-err));
	vb_check(end->ends->t, out.complaint.finding, out.good, "%s: %s%s",
		 ends_wr_text(wr, text, sizeof(text)), what,
		 out.complaint.text);
}

void vb_expect_untouched(struct vb_wr *recv)
{
	const struct end_verify in = { .place = recv->place };

	expect_verify(recv, &in, "it must be untouched: ");
}

void vb_expect_guards(struct vb_qp *qp)
{
	struct vb_wr *wr;

	for (wr = qp->wrs; wr; wr = wr->next) {
		const struct end_verify in = { .place = wr->place,
					       .guards_only = true };

		if (!wr->refused)
			expect_verify(wr, &in, "");
	}
}

void vb_expect_received(struct vb_wr *recv, uint32_t len)
{
	struct vb_test *t = recv->end->ends->t;
	char text[ENDS_TEXT];

	vb_expect_wc(recv, IBV_WC_SUCCESS);
	if (recv->qp->type == IBV_QPT_UD)
		len += END_GRH;
	vb_check(t, VB_FIND_WRONG_LENGTH, recv->wc.byte_len == len,
		 "%s completed with byte_len %u, the message has %u bytes",
		 ends_wr_text(recv, text, sizeof(text)), recv->wc.byte_len,
		 len);
	/* Content and guards were verified when it completed, if the sender
	 * is known; that it is, is a promise of the case. */
	if (!recv->qp->origin_known && !recv->met)
		vb_broken(t, "the sender of a message is not known: introduce "
			     "the queue pairs, or exchange");
}

void vb_expect_message(struct vb_wr *send, struct vb_wr *recv)
{
	struct vb_test *t = ends_test(send->qp);
	char sent[ENDS_TEXT], got[ENDS_TEXT];

	vb_expect_received(recv, send->len);
	/* An unsignaled one has no completion of its own to wait for. */
	if (send->signaled)
		vb_expect_wc(send, IBV_WC_SUCCESS);
	vb_check(t, VB_FIND_OUT_OF_ORDER, recv->met == send, "%s met %s",
		 ends_wr_text(send, sent, sizeof(sent)),
		 recv->met ? ends_wr_text(recv->met, got, sizeof(got))
			   : "no receive of its own");
}

struct expect_state {
	struct vb_qp *qp;
	enum ibv_qp_state state;
};

static bool expect_in_state(void *arg)
{
	const struct expect_state *s = arg;

	return vb_state(s->qp) == s->state || ends_blind(s->qp->end);
}

void vb_expect_state(struct vb_qp *qp, enum ibv_qp_state state)
{
	struct expect_state s = { .qp = qp, .state = state };
	struct vb_test *t = ends_test(qp);
	char why[ENDS_FAILURE_TEXT];
	bool come = ends_wait(qp->ends, vb_deadline(t, ENDS_SLACK_MS),
			      expect_in_state, &s);

	vb_check(t, VB_FIND_WRONG_STATE, come,
		 "end %s qp 0x%x: its state is %s, must be %s%s",
		 ends_side(qp->end), qp->qpn, verbs_qp_state_name(qp->state),
		 verbs_qp_state_name(state),
		 ends_failure_text(qp, why, sizeof(why)));
}

struct expect_none {
	struct vb_end *end;
	uint64_t before;
};

/* Whatever was polled or raised at one end so far. */
static uint64_t expect_heard(const struct vb_end *end)
{
	uint64_t sum = end->events;
	uint32_t i;

	for (i = 0; i < end->ends->qps_count; i++)
		if (end->ends->qps[i]->end == end)
			sum += end->ends->qps[i]->completions;
	return sum;
}

static bool expect_noise(void *arg)
{
	const struct expect_none *n = arg;

	return expect_heard(n->end) != n->before;
}

void vb_expect_quiet(struct vb_end *e, unsigned ms)
{
	struct expect_none none = { .end = e, .before = expect_heard(e) };
	struct vb_test *t = e->ends->t;

	vb_check(t, VB_FIND_EARLY,
		 !ends_wait(e->ends, vb_deadline(t, ms), expect_noise, &none),
		 "end %s: a completion or event within %u ms that must be "
		 "quiet",
		 ends_side(e), ms);
}

struct expect_counter {
	struct vb_end *end;
	const char *name;
	uint64_t least, value;
	uint64_t next_ns; /* a look is a file read: one a millisecond */
};

static bool expect_counted(void *arg)
{
	struct expect_counter *c = arg;
	struct end_count count;

	if (clock_now_ns() < c->next_ns)
		return false;
	c->next_ns = clock_now_ns() + NS_PER_MS;
	if (ends_counter(c->end, c->name, &count))
		vb_broken(c->end->ends->t, "end %s: there is no counter \"%s\"",
			  ends_side(c->end), c->name);
	c->value = count.count;
	return c->value >= c->least;
}

void vb_expect_counter(struct vb_end *e, const char *name, uint64_t least)
{
	struct expect_counter c = { .end = e, .name = name, .least = least };
	struct vb_test *t = e->ends->t;

	vb_check(t, VB_FIND_WRONG_COUNT,
		 ends_wait(e->ends, vb_deadline(t, ENDS_SLACK_MS),
			   expect_counted, &c),
		 "end %s: the counter %s is %" PRIu64 ", must be at least "
		 "%" PRIu64,
		 ends_side(e), name, c.value, least);
}

struct expect_event {
	struct vb_qp *qp;
	enum ibv_event_type type;
};

static bool expect_came(void *arg)
{
	const struct expect_event *e = arg;
	const struct ends_event *event = &e->qp->events[e->type];

	return event->came > event->expected;
}

void vb_expect_event(struct vb_qp *qp, enum ibv_event_type type)
{
	struct expect_event e = { .qp = qp, .type = type };
	struct vb_test *t = ends_test(qp);

	vb_check(t, VB_FIND_WRONG_EVENT,
		 ends_wait(qp->ends, vb_deadline(t, ENDS_SLACK_MS), expect_came,
			   &e),
		 "end %s qp 0x%x: the event %s has not come",
		 ends_side(qp->end), qp->qpn, verbs_event_name(type));
	qp->events[type].expected++;
}

void vb_allow_event(struct vb_qp *qp, enum ibv_event_type type)
{
	qp->events[type].allowed = true;
}
