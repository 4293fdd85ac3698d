// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ledger's books: queues, posts, what is owed.  Completions are judged in
 * ledger_complete.c. */
#include "suite/oracle/ledger.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "suite/oracle/ledger_inner.h"

enum { LEDGER_ENTRIES_MAX = WRID_SEQUENCES / 4 };

struct ledger *ledger_create(uint32_t qps_max)
{
	struct ledger *l;

	assert(qps_max <= WRID_QPS);
	l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->qps_max = qps_max;
	l->slots = calloc((size_t)WRID_ENDS * WRID_QUEUES * qps_max + 1,
			  sizeof(*l->slots));
	if (!l->slots)
		goto err_free;
	return l;
err_free:
	free(l);
	return NULL;
}

void ledger_destroy(struct ledger *l)
{
	size_t slots;

	if (!l)
		return;
	slots = (size_t)WRID_ENDS * WRID_QUEUES * l->qps_max;
	for (size_t i = 0; i < slots; i++)
		if (l->slots[i].open)
			ledger_queue_close(l->slots[i].open);
	free(l->slots);
	free(l);
}

static uint64_t ledger_round_up(uint32_t entries)
{
	uint64_t size = 2;

	while (size < entries)
		size *= 2;
	return size;
}

int ledger_queue_open(struct ledger *l, const struct ledger_queue_spec *spec,
		      struct ledger_queue **queue)
{
	struct ledger_slot *slot;
	struct ledger_queue *q;
	uint64_t size;

	if (spec->end >= WRID_ENDS || spec->kind >= WRID_QUEUES ||
	    spec->qp_index >= l->qps_max || spec->entries == 0 ||
	    spec->entries > LEDGER_ENTRIES_MAX)
		return -EINVAL;
	slot = ledger_slot(l, spec->end, spec->kind, spec->qp_index);
	if (slot->open)
		return -EEXIST;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	size = ledger_round_up(spec->entries);
	q->entries = calloc(size, sizeof(*q->entries));
	if (!q->entries)
		goto err_free;
	q->ledger = l;
	q->spec = *spec;
	q->spec.generation %= WRID_GENERATIONS;
	q->mask = size - 1;
	*slot = (struct ledger_slot){
		.open = q,
		.generation = q->spec.generation,
		.known = true,
	};
	*queue = q;
	return 0;
err_free:
	free(q);
	return -ENOMEM;
}

void ledger_queue_close(struct ledger_queue *q)
{
	const struct ledger_queue_spec *s = &q->spec;

	ledger_slot(q->ledger, s->end, s->kind, s->qp_index)->open = NULL;
	free(q->entries);
	free(q);
}

struct ledger_queue *ledger_queue_find(struct ledger *l, uint32_t end,
				       enum wrid_queue kind, uint32_t qp_index)
{
	if (end >= WRID_ENDS || kind >= WRID_QUEUES || qp_index >= l->qps_max)
		return NULL;
	return ledger_slot(l, end, kind, qp_index)->open;
}

const struct ledger_queue_spec *ledger_queue_spec(const struct ledger_queue *q)
{
	return &q->spec;
}

static uint64_t ledger_wr_id(const struct ledger_queue *q, uint64_t sequence)
{
	struct wrid id = {
		.generation = q->spec.generation,
		.end = q->spec.end,
		.qp_index = q->spec.qp_index,
		.queue = q->spec.kind,
		.sequence = (uint32_t)(sequence % WRID_SEQUENCES),
	};

	return wrid_encode(&id);
}

int ledger_post(struct ledger_queue *q, const struct ledger_post *post,
		struct ledger_entry **entry)
{
	struct ledger_entry *e = ledger_at(q, q->head);

	if (q->head - q->tail > q->mask)
		return -ENOSPC;
	*e = (struct ledger_entry){
		.wr_id = ledger_wr_id(q, q->head),
		.sequence = q->head,
		.len = post->len,
		.user = post->user,
		.queue = q,
		.accept = post->accept ? post->accept : LEDGER_ACCEPT_OK,
		.opcode = post->opcode,
		.state = LEDGER_POSTED,
		.signaled = q->spec.kind != WRID_SQ || q->spec.sig_all ||
			    post->signaled,
	};
	q->head++;
	q->posted++;
	q->signaled += e->signaled;
	q->counts.posted++;
	*entry = e;
	return 0;
}

void ledger_settle(struct ledger_queue *q, struct ledger_entry *e,
		   enum ledger_state state)
{
	assert(e->state == LEDGER_POSTED);
	e->state = state;
	q->posted--;
	q->signaled -= e->signaled;
	while (q->tail < q->head &&
	       ledger_at(q, q->tail)->state != LEDGER_POSTED)
		q->tail++;
	if (q->walked < q->tail)
		q->walked = q->tail;
}

void ledger_refuse(struct ledger_entry *entry)
{
	struct ledger_queue *q = entry->queue;

	for (uint64_t s = entry->sequence; s < q->head; s++) {
		struct ledger_entry *e = ledger_at(q, s);

		if (e->state != LEDGER_POSTED)
			continue;
		ledger_settle(q, e, LEDGER_REFUSED);
		q->counts.refused++;
		q->counts.posted--;
	}
}

void ledger_accept(struct ledger_entry *entry, uint32_t accept)
{
	entry->accept = accept;
}

void ledger_queue_unordered(struct ledger_queue *q)
{
	q->unordered = true;
}

void ledger_recovered(struct ledger_queue *q)
{
	if (q->posted == 0 && !q->flush_expected)
		q->failed = false;
}

void ledger_flush_expected(struct ledger_queue *q)
{
	if (q->flush_expected)
		return;
	q->flush_expected = true;
	q->flush_from = q->head;
}

uint64_t ledger_queue_owed(const struct ledger_queue *q)
{
	uint64_t owed = 0;

	if (q->spec.kind == WRID_SQ && !q->failed && !q->flush_expected)
		return q->signaled;
	for (uint64_t s = q->tail; s < q->head; s++) {
		const struct ledger_entry *e = ledger_at(q, s);

		owed += e->state == LEDGER_POSTED && ledger_owes(q, e);
	}
	return owed;
}

uint64_t ledger_queue_outstanding(const struct ledger_queue *q)
{
	return q->posted;
}

bool ledger_queue_failed(const struct ledger_queue *q)
{
	return q->failed;
}

const struct ledger_counts *ledger_queue_counts(const struct ledger_queue *q)
{
	return &q->counts;
}

struct ledger_entry *ledger_queue_entry(struct ledger_queue *q,
					uint64_t sequence)
{
	if (sequence >= q->head || q->head - sequence > q->mask + 1)
		return NULL;
	return ledger_at(q, sequence);
}

uint64_t ledger_queue_next(const struct ledger_queue *q)
{
	return q->head;
}

uint64_t ledger_owed(const struct ledger *l)
{
	size_t slots = (size_t)WRID_ENDS * WRID_QUEUES * l->qps_max;
	uint64_t owed = 0;

	for (size_t i = 0; i < slots; i++)
		if (l->slots[i].open)
			owed += ledger_queue_owed(l->slots[i].open);
	return owed;
}

uint64_t ledger_stale(const struct ledger *l)
{
	return l->stale;
}

static const struct ledger_entry *
ledger_oldest_owed(const struct ledger_queue *q)
{
	for (uint64_t s = q->tail; s < q->head; s++) {
		const struct ledger_entry *e = ledger_at(q, s);

		if (e->state == LEDGER_POSTED && ledger_owes(q, e))
			return e;
	}
	return NULL;
}

int ledger_balance(const struct ledger *l, struct complaint *complaint)
{
	size_t slots = (size_t)WRID_ENDS * WRID_QUEUES * l->qps_max;
	uint64_t owed = ledger_owed(l);
	struct strbuf text = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; owed > 0 && i < slots; i++) {
		const struct ledger_entry *e;

		if (!l->slots[i].open)
			continue;
		e = ledger_oldest_owed(l->slots[i].open);
		if (!e)
			continue;
		ledger_entry_print(e, &text);
		err = complaint_set(complaint, VB_FIND_LOST, e->wr_id,
				    "%s never completed (%" PRIu64
				    " owed in all, %" PRIu64 " on its queue)",
				    strbuf_text(&text), owed,
				    ledger_queue_owed(e->queue));
		break;
	}
	strbuf_free(&text);
	return err;
}
