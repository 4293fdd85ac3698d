// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The key table and the judgement of accesses: see the header. */
#include "device/engine/mr.h"

#include <assert.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>

#include "base/hash.h"
#include "device/mutant/mutant.h"

void mr_table_init(struct sd_mr_table *t, struct idtable_slot *slots,
		   uint32_t capacity)
{
	idtable_init(&t->ids, slots, capacity, SD_MR_INDEX_BITS);
}

/* M36: the windows that were invalidated. */
static MUTANT_COLD void mr_bury_windows(struct sd_mr_table *t)
{
	struct sd_mr *mr;
	uint32_t slot = 0;

	while ((mr = idtable_next(&t->ids, &slot))) {
		if (mr->dying && mr->kind != SD_MR_REGION)
			mr_unbind(mr);
	}
}

int mr_table_add(struct sd_mr_table *t, struct sd_mr *mr)
{
	uint32_t index;
	uint64_t draw;
	uint8_t tag;
	int err;

	if (MUTANT_ON(M36))
		mr_bury_windows(t);
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

	return mr && mr->kind == SD_MR_REGION && mr->lkey == lkey ? mr : NULL;
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

/* M35: past 2^64, and small again. */
static MUTANT_COLD bool mr_wraps(const struct sd_mr *mr, uint64_t va,
				 uint64_t len)
{
	return va >= mr->iova && va + len < va && len <= mr->length &&
	       va + len <= mr->iova + mr->length;
}

/* D54, D62, D66: beyond its bounds. */
static MUTANT_COLD bool mr_reaches(const struct sd_mr *mr, bool local,
				   uint64_t va, uint64_t len, int access)
{
	if (MUTANT_ACTS(D54, local && (mr_contains(mr, va, len - 1) ||
				       mr_contains(mr, va + 1, len - 1))))
		return true;
	if (MUTANT_ACTS(D62, mr->region && mr->iova &&
				     mr_contains(mr->region, va, len)))
		return true;
	return MUTANT_ACTS(D66, access == IBV_ACCESS_REMOTE_ATOMIC &&
					mr_contains(mr, va, 1));
}

static inline int mr_judge(const struct sd_mr *mr, const void *pd, bool local,
			   uint64_t va, uint64_t len, int access_needed)
{
	if (!mr)
		return -ENOENT;
	if (mr->pd != pd && !MUTANT_ACTS(M34, local))
		return -EXDEV;
	if ((access_needed & ~mr->access) &&
	    !MUTANT_ACTS(D63,
			 mr->region && !(access_needed & ~mr->region->access)))
		return -EACCES;
	if (mr_contains(mr, va, len) ||
	    (MUTANT_ANY() && mr_reaches(mr, local, va, len, access_needed)))
		return 0;
	return -ERANGE;
}

/* D05 */
static bool mr_misplaced(const struct sd_mr *mr, int access)
{
	return (access == 0 || access == IBV_ACCESS_REMOTE_READ) &&
	       ((uintptr_t)mr->host & 2048);
}

int mr_resolve_local(const struct sd_mr_table *t, const void *pd, uint32_t lkey,
		     uint64_t va, uint64_t len, int access_needed,
		     uint8_t **host)
{
	const struct sd_mr *mr = mr_find_lkey(t, lkey);
	int err = mr_judge(mr, pd, true, va, len, access_needed);

	if (err)
		return err;
	*host = mr->host + (va - mr->iova);
	if (MUTANT_ACTS(D05, mr_misplaced(mr, access_needed)))
		*host -= 2048;
	return 0;
}

/* Of a window that is not bound, or not by @qp, nothing may be used. */
static bool mr_usable(const struct sd_mr *mr, const void *qp)
{
	if (!mr || mr->kind == SD_MR_REGION)
		return true;
	return mr->region && (mr->kind == SD_MR_WINDOW_1 || mr->binder == qp);
}

int mr_resolve_remote(const struct sd_mr_table *t, const void *pd,
		      const void *qp, uint32_t rkey, uint64_t va, uint64_t len,
		      int access_needed, uint8_t **host)
{
	const struct sd_mr *mr = mr_find_rkey(t, rkey);
	int err = mr_usable(mr, qp)
			  ? mr_judge(mr, pd, false, va, len, access_needed)
			  : -ENOENT;

	if (err == -ERANGE && MUTANT_ACTS(M35, mr_wraps(mr, va, len))) {
		*host = mr->host;
		return 0;
	}
	if (MUTANT_ON(M36) && !err && mr->dying)
		mutant_note(MUTANT_M36);
	if (err)
		return err;
	*host = mr->host + (va - mr->iova);
	if (MUTANT_ACTS(D05, mr_misplaced(mr, access_needed)))
		*host -= 2048;
	return 0;
}

static int mr_judge_bind(const void *pd, const struct sd_mr *region,
			 const struct sd_bind *b)
{
	const int writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (!region)
		return -ENOENT;
	if (region->pd != pd && !MUTANT_ACTS(D33, true))
		return -EXDEV;
	if (!(region->access & IBV_ACCESS_MW_BIND) ||
	    ((b->access & writes) &&
	     !(region->access & IBV_ACCESS_LOCAL_WRITE)))
		return -EACCES;
	if (mr_contains(region, b->va, b->length))
		return 0;
	if (MUTANT_ACTS(R09,
			mr_contains(region, b->va, b->length - 1) ||
				mr_contains(region, b->va + 1, b->length - 1)))
		return 0;
	return -ERANGE;
}

void mr_unbind(struct sd_mr *window)
{
	if (window->region)
		window->region->windows--;
	window->region = NULL;
	window->binder = NULL;
	window->dying = false;
}

int mr_bind(const struct sd_mr_table *t, const void *pd, const void *qp,
	    const struct sd_bind *b)
{
	struct sd_mr *w = idtable_find(&t->ids, b->rkey >> SD_MR_TAG_BITS);
	struct sd_mr *region = NULL;
	int err = 0;

	if (!w || w->kind == SD_MR_REGION)
		return -ENOENT;
	if (w->pd != pd)
		return -EXDEV;
	if (w->dying)
		mr_unbind(w);
	if (w->kind == SD_MR_WINDOW_2 && (w->region || b->length == 0))
		return -EINVAL;
	if (b->length > 0) {
		region = mr_find_lkey(t, b->lkey);
		err = mr_judge_bind(pd, region, b);
	}
	if (err)
		return err;
	mr_unbind(w);
	w->rkey = b->rkey;
	if (!region)
		return 0;
	w->region = region;
	w->region->windows++;
	w->binder = qp;
	w->iova = b->access & IBV_ACCESS_ZERO_BASED ? 0 : b->va;
	w->host = region->host + (b->va - region->iova);
	w->length = b->length;
	w->access = b->access;
	if (MUTANT_ACTS(D93, (b->rkey & UINT8_MAX) == 0))
		w->access = 0;
	if (MUTANT_ACTS(D37, b->access & IBV_ACCESS_REMOTE_WRITE))
		w->access &= ~IBV_ACCESS_REMOTE_WRITE;
	return 0;
}

void mr_forget_binder(const struct sd_mr_table *t, const void *qp)
{
	struct sd_mr *mr;
	uint32_t slot = 0;

	while ((mr = idtable_next(&t->ids, &slot))) {
		if (mr->kind == SD_MR_WINDOW_2 && mr->binder == qp)
			mr_unbind(mr);
	}
}

int mr_invalidate(const struct sd_mr_table *t, const void *qp, uint32_t rkey)
{
	struct sd_mr *mr = mr_find_rkey(t, rkey);

	if (!mr || mr->kind != SD_MR_WINDOW_2 || !mr->region ||
	    mr->binder != qp)
		return -EINVAL;
	if (MUTANT_ON(M36))
		mr->dying = true;
	else
		mr_unbind(mr);
	return 0;
}
