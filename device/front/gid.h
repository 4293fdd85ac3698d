/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The GID and P_Key tables of the port.  GID 0 is the adapter's address; the
 * other entries exist and are empty.
 */
#ifndef DEVICE_FRONT_GID_H
#define DEVICE_FRONT_GID_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

/* -ENODATA: the entry is empty. */
int soft_query_gid_ex(struct ibv_context *context, uint32_t port,
		      uint32_t index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t entry_bytes) MUST_USE;
/* How many entries were written. */
ssize_t soft_query_gid_table(struct ibv_context *context,
			     struct ibv_gid_entry *entries, size_t entries_max,
			     uint32_t flags, size_t entry_bytes) MUST_USE;

#endif
