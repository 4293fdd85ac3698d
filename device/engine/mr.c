// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The key table and the judgement of accesses: see the header. */
#include "device/engine/mr.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>

#include "base/hash.h"

void mr_table_init(struct sd_mr_table *t, struct idtable_slot *slots,
		   uint32_t capacity)
{
	idtable_init(&t->ids, slots, capacity, SD_MR_INDEX_BITS);
}

int mr_table_add(struct sd_mr_table *t, struct sd_mr *mr)
{
	uint32_t index;
	uint64_t draw;
	uint8_t tag;
	int err;

	err = idtable_add(&t->ids, mr, &index);
	if (err)
		return err;
	/* Tags that say nothing about their neighbours': a key guessed by
	 * counting from a known one must not be valid. */
	draw = hash_mix64(index);
	tag = (uint8_t)draw;
	mr->lkey = index << SD_MR_TAG_BITS | tag;
	/* Never 0 is xored in: the two tags differ. */
	tag ^= (uint8_t)(1 + (draw >> 8) % UINT8_MAX);
	mr->rkey = index << SD_MR_TAG_BITS | tag;
	assert(mr->lkey != mr->rkey);
	return 0;
}

void mr_table_remove(struct sd_mr_table *t, struct sd_mr *mr)
{
	void *removed = idtable_remove(&t->ids, mr->lkey >> SD_MR_TAG_BITS);

	assert(removed == mr);
	(void)removed;
}

struct sd_mr *mr_find_lkey(const struct sd_mr_table *t, uint32_t lkey)
{
	struct sd_mr *mr = idtable_find(&t->ids, lkey >> SD_MR_TAG_BITS);

	return mr && mr->lkey == lkey ? mr : NULL;
}

struct sd_mr *mr_find_rkey(const struct sd_mr_table *t, uint32_t rkey)
{
	struct sd_mr *mr = idtable_find(&t->ids, rkey >> SD_MR_TAG_BITS);

	return mr && mr->rkey == rkey ? mr : NULL;
}

/* By offset, not by end: va + len may pass 2^64 and come out small. */
static bool mr_contains(const struct sd_mr *mr, uint64_t va, uint64_t len)
{
	uint64_t offset = va - mr->iova;

	return va >= mr->iova && offset <= mr->length &&
	       len <= mr->length - offset;
}

static int mr_judge(const struct sd_mr *mr, const void *pd, uint64_t va,
		    uint64_t len, int access_needed, uint8_t **host)
{
	if (!mr)
		return -ENOENT;
	if (mr->pd != pd)
		return -EXDEV;
	if (access_needed & ~mr->access)
		return -EACCES;
	if (!mr_contains(mr, va, len))
		return -ERANGE;
	*host = mr->host + (va - mr->iova);
	return 0;
}

int mr_resolve_local(const struct sd_mr_table *t, const void *pd, uint32_t lkey,
		     uint64_t va, uint64_t len, int access_needed,
		     uint8_t **host)
{
	return mr_judge(mr_find_lkey(t, lkey), pd, va, len, access_needed,
			host);
}

int mr_resolve_remote(const struct sd_mr_table *t, const void *pd,
		      uint32_t rkey, uint64_t va, uint64_t len,
		      int access_needed, uint8_t **host)
{
	return mr_judge(mr_find_rkey(t, rkey), pd, va, len, access_needed,
			host);
}
