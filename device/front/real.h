/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The real libibverbs behind us, to which everything goes that is not ours.
 * A function that it does not have is NULL.
 */
#ifndef DEVICE_FRONT_REAL_H
#define DEVICE_FRONT_REAL_H

#include "device/front/verbs.h"

struct real_verbs {
#define ENTRY_INT(name, context, params, args)	     int(*name) params;
#define ENTRY_STATUS(name, context, params, args)    int(*name) params;
#define ENTRY_PTR(type, name, context, params, args) type *(*name)params;
#define ENTRY_VOID(name, context, params, args)	     void(*name) params;
#define NONE_INT				     ENTRY_INT
#define NONE_STATUS				     ENTRY_STATUS
#define NONE_PTR				     ENTRY_PTR
#define NONE_VOID				     ENTRY_VOID
#define ENTRY_OTHER(type, name, params)		     type(*name) params;
#include "device/front/entry_points.def"
#undef ENTRY_INT
#undef ENTRY_STATUS
#undef ENTRY_PTR
#undef ENTRY_VOID
#undef NONE_INT
#undef NONE_STATUS
#undef NONE_PTR
#undef NONE_VOID
#undef ENTRY_OTHER
	int (*query_gid_ex)(struct ibv_context *context, uint32_t port,
			    uint32_t index, struct ibv_gid_entry *entry,
			    uint32_t flags, size_t entry_bytes);
	ssize_t (*query_gid_table)(struct ibv_context *context,
				   struct ibv_gid_entry *entries,
				   size_t entries_max, uint32_t flags,
				   size_t entry_bytes);
	enum ibv_rate (*mult_to_rate)(int mult);
	enum ibv_rate (*mbps_to_rate)(int mbps);
};

const struct real_verbs *real_verbs(void);
/* dlopen() as the system has it: not ours, which loader.c has. */
void *real_load(const char *file, int flags);

#endif
