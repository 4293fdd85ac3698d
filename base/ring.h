/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Index arithmetic of a bounded queue; the owner keeps the slots.
 *
 *	slots    0 . . . . size-1         (any size, not only powers of two)
 *	tail ->  oldest    head -> next to fill    count = filled
 */
#ifndef BASE_RING_H
#define BASE_RING_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct ring {
	uint32_t size;
	uint32_t tail;	/* slot of the oldest entry */
	uint32_t count; /* entries filled, 0..size */
};

static inline struct ring ring_make(uint32_t size)
{
	return (struct ring){ .size = size };
}

static inline uint32_t ring_room(const struct ring *r)
{
	return r->size - r->count;
}

/* The slot of the @nth oldest entry (0: the oldest). */
static inline uint32_t ring_at(const struct ring *r, uint32_t nth)
{
	uint32_t slot = r->tail + nth;

	return slot >= r->size ? slot - r->size : slot;
}

/* Fill the next slot and return its index; there must be room. */
static inline uint32_t ring_push(struct ring *r)
{
	assert(r->count < r->size);
	return ring_at(r, r->count++);
}

/* Empty the oldest slot and return its index; there must be an entry. */
static inline uint32_t ring_pop(struct ring *r)
{
	uint32_t slot = r->tail;

	assert(r->count > 0);
	r->tail = ring_at(r, 1);
	r->count--;
	return slot;
}

static inline void ring_clear(struct ring *r)
{
	r->tail = 0;
	r->count = 0;
}

#endif
