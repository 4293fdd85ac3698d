/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The application's memory: lists of entries resolved by key, and copies that
 * survive an address which is not there any more.
 */
#ifndef DEVICE_WORLD_MEMORY_H
#define DEVICE_WORLD_MEMORY_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/engine/mr.h"
#include "device/wire/icrc_copy.h"

/* Catch faults of our own copies, from now on; other faults go to the handler
 * that was there before.  May be called again. */
void memory_guard_install(void);

/* memcpy(), or false when a byte of either side cannot be accessed. */
bool memory_copy(void *to, const void *from, size_t len);
/* The same; and where it costs nothing, *@sum is what the bytes add to an
 * ICRC, else it is left alone.  It may be NULL. */
bool memory_copy_summed(void *to, const void *from, size_t len,
			struct icrc_sum *sum);

/* A 64-bit atomic at @at, one against all others of this process; false when
 * it cannot be accessed. */
bool memory_fetch_add(uint64_t *at, uint64_t add, uint64_t *before);
bool memory_compare_swap(uint64_t *at, uint64_t compare, uint64_t swap,
			 uint64_t *before);

/*
 * Copy @len bytes between @buffer and the list, from its byte @offset on;
 * @access_needed as mr_resolve_local() takes it: LOCAL_WRITE writes the list,
 * 0 reads it, and may set *@sum as memory_copy_summed() does.
 */
enum ibv_wc_status memory_move(const struct sd_mr_table *keys, const void *pd,
			       const struct ibv_sge *sge, int num_sge,
			       uint64_t offset, void *buffer, size_t len,
			       int access_needed, struct icrc_sum *sum);

#endif
