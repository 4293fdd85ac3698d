/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Ids for objects that strangers name: handles, queue pair numbers, memory
 * key indexes.
 *
 *	id:  | generation          | slot (slot_bits) |    id_bits in all
 *
 * A freed slot goes to the end of the queue of free ones, and its generation
 * moves on: an id comes back only after every other free slot was used, and
 * then (2^(id_bits - slot_bits) - 2) times over.  A lookup compares the whole
 * id, so a stale one finds nothing.  Neither 0 nor all ones is ever an id, nor
 * anything below the capacity.
 *
 * Add, remove and look up take constant time.  The owner brings the memory and
 * the lock.
 */
#ifndef BASE_IDTABLE_H
#define BASE_IDTABLE_H

#include <stdint.h>

#include "base/compiler.h"

struct idtable_slot {
	void *object;	    /* NULL: free */
	uint32_t id;	    /* of the object; when free, of the next one here */
	uint32_t next_free; /* slot, or IDTABLE_END */
};

struct idtable {
	struct idtable_slot *slots;
	uint32_t capacity;
	uint32_t used;
	uint32_t slot_bits;
	uint32_t id_bits;
	uint32_t free_head; /* oldest free slot, the next to be used */
	uint32_t free_tail;
};

/* @slots has room for @capacity entries (at least 1) and outlives the table.
 * There must be two bits of generation at least: id_bits - log2(capacity). */
void idtable_init(struct idtable *t, struct idtable_slot *slots,
		  uint32_t capacity, uint32_t id_bits);
/* 0 and *@id, or -ENOSPC: the table is full.  @object must not be NULL. */
int idtable_add(struct idtable *t, void *object, uint32_t *id) MUST_USE;
/* The object of that id, or NULL. */
void *idtable_find(const struct idtable *t, uint32_t id);
/* Free @id; returns the object that it named, or NULL when it named none. */
void *idtable_remove(struct idtable *t, uint32_t id);
/* The object with the smallest slot at or behind *@slot, which moves behind
 * it; NULL at the end.  Begin with *@slot = 0. */
void *idtable_next(const struct idtable *t, uint32_t *slot);

#endif
