/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ledger's inside, shared by its three files. */
#ifndef SUITE_ORACLE_LEDGER_INNER_H
#define SUITE_ORACLE_LEDGER_INNER_H

#include "suite/oracle/ledger.h"

/*
 *	sequences   ... tail . . . . walked . . . head-1 | head ...
 *	            settled    maybe settled     posted    next
 *
 * Below tail everything is settled; below walked the order was judged, so
 * what is still posted there is a gap already complained about.
 */
struct ledger_queue {
	struct ledger *ledger;
	struct ledger_queue_spec spec;
	struct ledger_entry *entries;
	uint64_t mask; /* entries kept, less one */
	uint64_t head, tail, walked;
	uint64_t posted;     /* in state POSTED */
	uint64_t signaled;   /* of them, signaled */
	uint64_t failed_at;  /* sequence of the first error completion */
	uint64_t flush_from; /* from here each post owes, if flush_expected */
	bool failed;
	bool flush_expected;
	bool unordered;
	struct ledger_counts counts;
};

/* One place of a queue: it remembers the generation of what was there. */
struct ledger_slot {
	struct ledger_queue *open; /* NULL: closed or never opened */
	uint32_t generation;
	bool known; /* was open at least once */
};

struct ledger {
	uint32_t qps_max;
	uint64_t stale;
	uint64_t complaints;
	struct ledger_slot *slots; /* [end][kind][index] */
};

static inline struct ledger_slot *ledger_slot(const struct ledger *l,
					      uint32_t end,
					      enum wrid_queue kind,
					      uint32_t index)
{
	return &l->slots[((size_t)end * WRID_QUEUES + kind) * l->qps_max +
			 index];
}

static inline struct ledger_entry *ledger_at(const struct ledger_queue *q,
					     uint64_t sequence)
{
	return &q->entries[sequence & q->mask];
}

/* Must a completion of its own still come for @e, which is POSTED? */
static inline bool ledger_owes(const struct ledger_queue *q,
			       const struct ledger_entry *e)
{
	switch (q->spec.kind) {
	case WRID_SQ:
		return e->signaled ||
		       (q->failed && e->sequence > q->failed_at) ||
		       (q->flush_expected && e->sequence >= q->flush_from);
	case WRID_RQ:
		return q->failed || q->flush_expected;
	default:
		return false;
	}
}

/* Move @e from POSTED to @state and the tail over what is settled. */
void ledger_settle(struct ledger_queue *q, struct ledger_entry *e,
		   enum ledger_state state);

#endif
