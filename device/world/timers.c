// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/world/timers.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int timers_init(struct timers *t, uint32_t room)
{
	t->heap = calloc((size_t)room + 1, sizeof(t->heap[0]));
	if (!t->heap)
		return -ENOMEM;
	t->count = 0;
	t->room = room;
	return 0;
}

void timers_free(struct timers *t)
{
	free(t->heap);
	t->heap = NULL;
}

static void timers_put(struct timers *t, uint32_t slot, struct timer_entry e)
{
	t->heap[slot] = e;
	e.q->timer_slot = slot;
}

static void timers_up(struct timers *t, uint32_t slot, struct timer_entry e)
{
	for (; slot > 1 && t->heap[slot / 2].at_ns > e.at_ns; slot /= 2)
		timers_put(t, slot, t->heap[slot / 2]);
	timers_put(t, slot, e);
}

static void timers_down(struct timers *t, uint32_t slot, struct timer_entry e)
{
	for (;;) {
		uint32_t child = slot * 2;

		if (child > t->count)
			break;
		if (child < t->count &&
		    t->heap[child + 1].at_ns < t->heap[child].at_ns)
			child++;
		if (t->heap[child].at_ns >= e.at_ns)
			break;
		timers_put(t, slot, t->heap[child]);
		slot = child;
	}
	timers_put(t, slot, e);
}

void timers_set(struct timers *t, struct world_qp *q)
{
	struct timer_entry e = { .at_ns = q->deadline_ns, .q = q };

	if (!q->deadline_ns)
		return; /* what is in the heap fires, and is found idle */
	if (q->timer_slot) {
		if (t->heap[q->timer_slot].at_ns > e.at_ns)
			timers_up(t, q->timer_slot, e);
		return;
	}
	assert(t->count < t->room);
	timers_up(t, ++t->count, e);
}

void timers_remove(struct timers *t, struct world_qp *q)
{
	uint32_t slot = q->timer_slot;
	struct timer_entry last;

	if (!slot)
		return;
	q->timer_slot = 0;
	last = t->heap[t->count--];
	if (last.q == q)
		return;
	if (slot > 1 && t->heap[slot / 2].at_ns > last.at_ns)
		timers_up(t, slot, last);
	else
		timers_down(t, slot, last);
}

uint64_t timers_next_ns(const struct timers *t)
{
	return t->count ? t->heap[1].at_ns : 0;
}

struct world_qp *timers_expired(struct timers *t, uint64_t now_ns)
{
	while (t->count && t->heap[1].at_ns <= now_ns) {
		struct world_qp *q = t->heap[1].q;

		timers_remove(t, q);
		if (q->deadline_ns && q->deadline_ns <= now_ns)
			return q;
		timers_set(t, q);
	}
	return NULL;
}
