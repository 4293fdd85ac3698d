// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The run of an end: connect, poll and send until all is said and settled,
 * again for each connection; and what is measured of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/verbs_names.h"
#include "suite/bench/traffic_drift.h"
#include "suite/bench/traffic_inner.h"
#include "suite/oracle/wrid.h"

enum { RUN_EVENT_WAIT_MS = 20 };

/* A completion that is no one's, or that went wrong. */
static bool run_judge_completion(struct traffic_end *e, const struct ibv_wc *wc,
				 struct wrid *id)
{
	char text[WRID_TEXT_MAX];
	const char *reason = NULL;

	if (wrid_decode(wc->wr_id, id))
		reason = "is no id of ours";
	else if (id->end != e->end || id->qp_index >= e->p->qps ||
		 id->queue == WRID_SRQ)
		reason = "is an id that was never posted here";
	else if (id->generation != e->generation) {
		e->result->stale++;
		return false;
	} else if (e->qps[id->qp_index].qp->qp_num != wc->qp_num)
		reason = "is another queue pair's";
	if (reason) {
		traffic_find(e, "foreign", 0, 0,
			     "%c: a completion of QP 0x%x with wr_id %s, which "
			     "%s",
			     'a' + (int)e->end, wc->qp_num,
			     wrid_text(wc->wr_id, text), reason);
		return false;
	}
	if (wc->status == IBV_WC_SUCCESS)
		return true;
	if (!e->failed)
		traffic_find(e, "wrong-status", id->qp_index, id->sequence,
			     "%s completed with %s (%d), vendor_err 0x%x",
			     wrid_text(wc->wr_id, text),
			     verbs_wc_status_name(wc->status), wc->status,
			     wc->vendor_err);
	e->failed = true;
	return false;
}

static void run_take(struct traffic_end *e, const struct ibv_wc *wc)
{
	struct traffic_qp *q;
	struct wrid id;

	if (!run_judge_completion(e, wc, &id))
		return;
	if (id.queue == WRID_SQ) {
		traffic_send_done(e, id.qp_index, id.sequence);
		return;
	}
	q = &e->qps[id.qp_index];
	if (id.sequence != q->rx.takers % WRID_SEQUENCES) {
		traffic_find(e, "out-of-order", id.qp_index, id.sequence,
			     "%c qp%u: receive %u completed, where %lu was due",
			     'a' + (int)e->end, id.qp_index, id.sequence,
			     (unsigned long)(q->rx.takers % WRID_SEQUENCES));
		e->failed = true;
		return;
	}
	traffic_receive_done(e, id.qp_index, wc);
}

/* One poll; at a look as many as there may be, to see how many waited. */
static int run_poll(struct traffic_end *e, bool look)
{
	int most = look ? TRAFFIC_BATCH_MAX : (int)e->p->batch;
	int got = verbs_cq_poll(&e->at, e->cq, most, e->wc);

	if (got < 0) {
		traffic_find(e, "wrong-return", 0, 0,
			     "%c: ibv_poll_cq() returned %d", 'a' + (int)e->end,
			     got);
		e->failed = true;
		return 0;
	}
	if (look)
		e->live->backlog = (uint64_t)got;
	if (got == 0)
		return 0;
	e->now_ns = e->progress_ns = clock_now_ns();
	e->live->polls++;
	e->live->completions += (uint64_t)got;
	if (!look && (uint64_t)got > e->live->batch_max)
		e->live->batch_max = (uint64_t)got;
	for (int i = 0; i < got; i++)
		run_take(e, &e->wc[i]);
	traffic_receive_refill(e);
	return got;
}

/* Sleep until a completion comes, or the next message is due. */
static void run_wait_event(struct traffic_end *e)
{
	struct pollfd fd = { .fd = e->channel->fd, .events = POLLIN };
	int wait_ms = RUN_EVENT_WAIT_MS;
	void *cookie;

	if (verbs_cq_arm(&e->at, e->cq, false))
		e->failed = true;
	/* What came before the arming has no event. */
	if (run_poll(e, false) > 0 || e->failed)
		return;
	if (e->due_every_ns && !e->ending) {
		e->now_ns = clock_now_ns();
		wait_ms = e->due_ns <= e->now_ns
				  ? 0
				  : (int)((e->due_ns - e->now_ns) / NS_PER_MS);
		if (wait_ms > RUN_EVENT_WAIT_MS)
			wait_ms = RUN_EVENT_WAIT_MS;
	}
	(void)poll(&fd, 1, wait_ms);
	while (verbs_channel_take(&e->at, e->channel, &cookie) == 0)
		;
}

static uint64_t run_cpu_ns(const struct traffic_end *e)
{
	return clock_read_ns(e->p->threads ? CLOCK_THREAD_CPUTIME_ID
					   : CLOCK_PROCESS_CPUTIME_ID);
}

/* What is counted is measured from its beginning. */
static uint64_t run_warm_up_ns(const struct traffic_end *e)
{
	return e->p->messages ? 0 : e->p->warm_up_ns;
}

static void run_measure_begin(struct traffic_end *e)
{
	struct traffic_live *live = e->live;

	traffic_counters_read(e->context, e->p->port, &live->rnr,
			      &live->rnr_sent, &live->retries);
	memset(&live->latency, 0, sizeof(live->latency));
	live->batch_max = 0;
	live->measure_ns = e->now_ns;
	e->base = *live;
	e->base_cpu_ns = run_cpu_ns(e);
	e->measuring = true;
}

static void run_measure_end(struct traffic_end *e)
{
	struct traffic_live *live = e->live;
	struct traffic_result *r = e->result;

	if (!e->measuring || e->measured)
		return;
	e->measured = true;
	traffic_counters_read(e->context, e->p->port, &live->rnr,
			      &live->rnr_sent, &live->retries);
	r->wall_ns = clock_now_ns() - live->measure_ns;
	r->cpu_ns = run_cpu_ns(e) - e->base_cpu_ns;
	r->sent = live->sent - e->base.sent;
	r->sent_bytes = live->sent_bytes - e->base.sent_bytes;
	r->received = live->received - e->base.received;
	r->received_bytes = live->received_bytes - e->base.received_bytes;
	r->polls = live->polls - e->base.polls;
	r->completions = live->completions - e->base.completions;
	r->batch_max = live->batch_max;
	r->rnr = live->rnr - e->base.rnr;
	r->rnr_sent = live->rnr_sent - e->base.rnr_sent;
	r->retries = live->retries - e->base.retries;
	r->latency = live->latency;
}

/* Begin to send the last messages of this connection, or of all. */
static void run_end_sending(struct traffic_end *e, bool again)
{
	e->ending = true;
	e->again = again;
	for (uint32_t i = 0; i < e->p->qps; i++)
		traffic_send_ready(e, i);
}

/* Of the end that leads: is it time? */
static void run_lead(struct traffic_end *e)
{
	const struct traffic_program *p = e->p;

	if (e->ending)
		return;
	if (__atomic_load_n(e->control->stop, __ATOMIC_RELAXED)) {
		e->result->cut_short = true;
		run_measure_end(e);
		run_end_sending(e, false);
	} else if (e->deadline_ns && e->now_ns >= e->deadline_ns) {
		run_measure_end(e);
		run_end_sending(e, false);
	} else if (p->reconnect_ns &&
		   e->now_ns - e->epoch_ns >= p->reconnect_ns) {
		run_end_sending(e, true);
	}
}

/* Once a second: what costs more than a poll. */
static void run_look(struct traffic_end *e)
{
	struct traffic_live *live = e->live;

	e->look_ns = e->now_ns + NS_PER_S;
	traffic_counters_read(e->context, e->p->port, &live->rnr,
			      &live->rnr_sent, &live->retries);
	traffic_drift_look(e);
	(void)run_poll(e, true);
}

static bool run_settled(const struct traffic_end *e)
{
	return (!e->sends || (e->tx_open == 0 && e->outstanding == 0)) &&
	       e->rx_open == 0;
}

static void run_hang(struct traffic_end *e)
{
	uint32_t qp = 0;

	while (qp + 1 < e->p->qps && e->qps[qp].tx.next == e->qps[qp].tx.done)
		qp++;
	traffic_find(e, "hang", qp, e->qps[qp].tx.done,
		     "%c: no completion for %.1f s; %" PRIu64
		     " sends are open (qp%u: from %" PRIu64 " to %" PRIu64
		     "), %u queue pairs wait for the peer's last message",
		     'a' + (int)e->end, (double)e->p->patience_ns / NS_PER_S,
		     e->outstanding, qp, e->qps[qp].tx.done, e->qps[qp].tx.next,
		     e->rx_open);
	e->failed = true;
}

static void run_step(struct traffic_end *e)
{
	int got;

	got = run_poll(e, false);
	if (got == 0) {
		if (e->p->events && !traffic_send_waits(e))
			run_wait_event(e);
		e->now_ns = clock_now_ns();
	}
	traffic_drift_step(e, got);
	if (e->measuring
		    ? e->now_ns >= e->look_ns
		    : e->now_ns >= e->live->started_ns + run_warm_up_ns(e)) {
		if (!e->measuring)
			run_measure_begin(e);
		run_look(e);
	}
	/* Of the end that follows, the same time. */
	if (e->deadline_ns && e->now_ns >= e->deadline_ns)
		run_measure_end(e);
	if (e->leads)
		run_lead(e);
	if (!traffic_drift_stalls(e))
		traffic_send_all(e);
	e->live->outstanding = e->outstanding;
	if (e->now_ns - e->progress_ns > e->p->patience_ns) {
		if (e->outstanding > 0 || e->ending || !e->leads)
			run_hang(e);
		e->progress_ns = e->now_ns;
	}
	if (__atomic_load_n(e->control->abort, __ATOMIC_RELAXED))
		e->failed = true;
}

static void run_begin_epoch(struct traffic_end *e)
{
	/* A direction without messages has no last one. */
	e->tx_open = e->sends ? e->p->qps : 0;
	e->rx_open = traffic_sends(e->p, !e->end) ? e->p->qps : 0;
	e->ending = e->again = false;
	e->ready_head = e->ready_count = 0;
	e->now_ns = e->epoch_ns = e->progress_ns = clock_now_ns();
	if (e->live->started_ns == 0) {
		e->live->started_ns = e->registered_ns = e->now_ns;
		if (e->p->duration_ns)
			e->deadline_ns = e->now_ns + run_warm_up_ns(e) +
					 e->p->duration_ns;
	}
	e->due_every_ns = e->p->rate && e->leads ? NS_PER_S / e->p->rate : 0;
	e->due_ns = e->now_ns;
	for (uint32_t i = 0; i < e->p->qps; i++) {
		struct traffic_qp *q = &e->qps[i];

		q->queued = q->tx.ended = q->rx.ended = false;
		q->tx.owed = 0;
		traffic_send_ready(e, i);
	}
}

/* One connection from its first message to its last. */
static int run_epoch(struct traffic_end *e, bool again, struct strbuf *error)
{
	int err = traffic_connect(e, again, error);

	if (err)
		return err;
	run_begin_epoch(e);
	while (!e->failed && !run_settled(e))
		run_step(e);
	if (e->failed) {
		strbuf_add(error, e->result->findings_count
					  ? "ended by the findings above"
					  : "ended from outside");
		return -EIO;
	}
	return e->control->barrier(e->control->arg, "settled", error);
}

void traffic_end_run(struct traffic_end *e,
		     const struct traffic_control *control,
		     struct traffic_result *result)
{
	struct strbuf error = STRBUF_INIT;
	bool again = false;
	int err;

	result->end = e->end;
	result->qps = e->p->qps;
	e->result = result;
	e->control = control;
	do {
		err = run_epoch(e, again, &error);
		again = e->again;
		if (!err && again)
			result->reconnects++;
	} while (!err && again);
	run_measure_end(e);
	result->err = err;
	snprintf(result->error, sizeof(result->error), "%s",
		 strbuf_text(&error));
	__atomic_store_n(&e->live->done, 1, __ATOMIC_RELEASE);
	strbuf_free(&error);
}
