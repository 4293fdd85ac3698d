// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Slots in a FIFO of free ones, with generations: see the header. */
#include "base/idtable.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>

#define IDTABLE_END UINT32_MAX

static uint32_t idtable_slot_of(const struct idtable *t, uint32_t id)
{
	return id & ((UINT32_C(1) << t->slot_bits) - 1);
}

void idtable_init(struct idtable *t, struct idtable_slot *slots,
		  uint32_t capacity, uint32_t id_bits)
{
	uint32_t slot_bits = 0;

	assert(capacity > 0 && capacity <= UINT32_C(1) << 30);
	while (UINT32_C(1) << slot_bits < capacity)
		slot_bits++;
	assert(id_bits <= 32 && id_bits >= slot_bits + 2);
	*t = (struct idtable){
		.slots = slots,
		.capacity = capacity,
		.slot_bits = slot_bits,
		.id_bits = id_bits,
		.free_head = 0,
		.free_tail = capacity - 1,
	};
	for (uint32_t i = 0; i < capacity; i++) {
		slots[i].object = NULL;
		slots[i].id = UINT32_C(1) << slot_bits | i;
		slots[i].next_free = i + 1 < capacity ? i + 1 : IDTABLE_END;
	}
}

int idtable_add(struct idtable *t, void *object, uint32_t *id)
{
	struct idtable_slot *slot;

	assert(object != NULL);
	if (t->free_head == IDTABLE_END)
		return -ENOSPC;
	slot = &t->slots[t->free_head];
	t->free_head = slot->next_free;
	if (t->free_head == IDTABLE_END)
		t->free_tail = IDTABLE_END;
	slot->object = object;
	slot->next_free = IDTABLE_END;
	t->used++;
	*id = slot->id;
	return 0;
}

void *idtable_find(const struct idtable *t, uint32_t id)
{
	uint32_t slot = idtable_slot_of(t, id);

	if (slot >= t->capacity || t->slots[slot].id != id)
		return NULL;
	return t->slots[slot].object;
}

/* Generations run from 1 to all ones less one. */
static uint32_t idtable_next_id(const struct idtable *t, uint32_t id)
{
	uint32_t generation = id >> t->slot_bits;
	uint32_t generation_max =
		(uint32_t)((UINT64_C(1) << (t->id_bits - t->slot_bits)) - 2);

	generation = generation == generation_max ? 1 : generation + 1;
	return generation << t->slot_bits | idtable_slot_of(t, id);
}

void *idtable_remove(struct idtable *t, uint32_t id)
{
	void *object = idtable_find(t, id);
	uint32_t slot = idtable_slot_of(t, id);

	if (!object)
		return NULL;
	t->slots[slot].object = NULL;
	t->slots[slot].id = idtable_next_id(t, id);
	t->slots[slot].next_free = IDTABLE_END;
	if (t->free_tail == IDTABLE_END)
		t->free_head = slot;
	else
		t->slots[t->free_tail].next_free = slot;
	t->free_tail = slot;
	t->used--;
	return object;
}

void *idtable_next(const struct idtable *t, uint32_t *slot)
{
	while (*slot < t->capacity) {
		void *object = t->slots[(*slot)++].object;

		if (object)
			return object;
	}
	return NULL;
}
