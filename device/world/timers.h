/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The deadlines of all queue pairs: a heap, earliest on top.  A deadline that
 * moves away, as the ACK timer does with every packet, is not moved in the
 * heap: the entry fires early, finds the later deadline and goes back in.
 */
#ifndef DEVICE_WORLD_TIMERS_H
#define DEVICE_WORLD_TIMERS_H

#include <stdint.h>

#include "base/compiler.h"
#include "device/world/adapter.h"

struct timer_entry {
	uint64_t at_ns;
	struct world_qp *q;
};

struct timers {
	struct timer_entry *heap; /* heap[1..count] */
	uint32_t count;
	uint32_t room;
};

/* Room for @room queue pairs; -ENOMEM. */
int timers_init(struct timers *t, uint32_t room) MUST_USE;
void timers_free(struct timers *t);
/* @q's deadline is now q->deadline_ns (0: none). */
void timers_set(struct timers *t, struct world_qp *q);
/* @q is going away. */
void timers_remove(struct timers *t, struct world_qp *q);
/* When to look again; 0: never. */
uint64_t timers_next_ns(const struct timers *t);
/* A queue pair whose deadline has come, out of the heap; NULL: none has. */
struct world_qp *timers_expired(struct timers *t, uint64_t now_ns);

#endif
