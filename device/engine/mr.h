/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions as the data path sees them: a key names one, and every access
 * is judged byte by byte before an address of the host comes out.
 *
 *	key:  | index: generation and slot (24 bits) | tag (8 bits) |
 *
 * lkey and rkey of a region share the index and differ in the tag, so neither
 * passes for the other.  The table allocates nothing and locks nothing: its
 * owner brings the memory, and one lock covers every call.
 */
#ifndef DEVICE_ENGINE_MR_H
#define DEVICE_ENGINE_MR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/idtable.h"

/* What a key names. */
enum sd_mr_kind {
	SD_MR_REGION,
	SD_MR_WINDOW_1, /* bound by any queue pair, used through any */
	SD_MR_WINDOW_2, /* used through the queue pair that bound it */
};

struct sd_mr {
	enum sd_mr_kind kind;
	const void *pd; /* identity only, never followed */
	uint32_t lkey;	/* both set by mr_table_add() */
	uint32_t rkey;
	uint64_t iova; /* iova + length does not pass 2^64 */
	uint8_t *host; /* where the byte at @iova lives */
	uint64_t length;
	int access; /* enum ibv_access_flags */
	/* Of a window: what it is bound to, NULL while it is not; and by whom
	 * (identity only).  Of a region: how many windows are bound to it. */
	struct sd_mr *region;
	const void *binder;
	uint32_t windows;
	bool dying; /* M36: from the next registration on */
};

struct sd_mr_table {
	struct idtable ids;
};

enum { SD_MR_INDEX_BITS = 24, SD_MR_TAG_BITS = 8 };

void mr_table_init(struct sd_mr_table *t, struct idtable_slot *slots,
		   uint32_t capacity);
/* Give @mr its keys and make them valid; -ENOSPC when the table is full. */
int mr_table_add(struct sd_mr_table *t, struct sd_mr *mr) MUST_USE;
/* Both keys are dead when this returns. */
void mr_table_remove(struct sd_mr_table *t, struct sd_mr *mr);
/* The region that @key is the lkey (or the rkey) of, or NULL. */
struct sd_mr *mr_find_lkey(const struct sd_mr_table *t, uint32_t lkey);
struct sd_mr *mr_find_rkey(const struct sd_mr_table *t, uint32_t rkey);

/*
 * Judge an access of @len bytes at @va by something in @pd.  @access_needed: 0
 * to read locally, LOCAL_WRITE, or REMOTE_* rights, all of which the region
 * must grant.  0 and *@host, or why not:
 *	-ENOENT	no region has that key
 *	-EXDEV	the region is of another protection domain
 *	-EACCES	it lacks a right
 *	-ERANGE	the bytes are not all inside
 * An empty access must lie within the region or at its end; callers to whom
 * empty accesses need no key do not ask.
 */
int mr_resolve_local(const struct sd_mr_table *t, const void *pd, uint32_t lkey,
		     uint64_t va, uint64_t len, int access_needed,
		     uint8_t **host) MUST_USE;
int mr_resolve_remote(const struct sd_mr_table *t, const void *pd,
		      const void *qp, uint32_t rkey, uint64_t va, uint64_t len,
		      int access_needed, uint8_t **host) MUST_USE;

/*
 * A window's new binding, by keys and not by pointers: between post and
 * execution either may go.
 */
struct sd_bind {
	uint32_t rkey; /* the window's from then on; its index says which */
	uint32_t lkey; /* of the region; of no meaning with length 0 */
	uint64_t va;
	uint64_t length;
	int access;
};

/*
 * Bind a window by @qp of @pd (IBA vol. 1, 10.6.7.2).  A type 1 window may be
 * bound at any time, which ends the binding before; length 0 unbinds it.  A
 * type 2 window must not be bound.  -ENOENT, -EINVAL, -EXDEV, -EACCES,
 * -ERANGE: nothing has changed.
 */
int mr_bind(const struct sd_mr_table *t, const void *pd, const void *qp,
	    const struct sd_bind *bind) MUST_USE;
/* End a window's binding, if it has one. */
void mr_unbind(struct sd_mr *window);
/* Kill the key of a type 2 window that @qp has bound; -EINVAL for any other. */
int mr_invalidate(const struct sd_mr_table *t, const void *qp,
		  uint32_t rkey) MUST_USE;
/* @qp goes: no later queue pair, were it at the same address, may use the
 * type 2 windows that this one has bound. */
void mr_forget_binder(const struct sd_mr_table *t, const void *qp);

#endif
