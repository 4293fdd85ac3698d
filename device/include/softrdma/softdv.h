/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Direct verbs of the software device: what it can do beyond the verbs API.
 * The functions are in libsoftrdma.so; a program that runs with or without it
 * finds them with dlsym(RTLD_DEFAULT, ...), and NULL means that the library is
 * not loaded.  Those that return int return 0, or an errno, which is also left
 * in errno.
 */
#ifndef SOFTRDMA_SOFTDV_H
#define SOFTRDMA_SOFTDV_H

#include <infiniband/verbs.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if @context was opened on the software device, 0 if not. */
int softdv_is_soft(struct ibv_context *context);

/*
 * The value of the counter @name since the adapter came up.  All contexts of a
 * process share one adapter and so its counters, which are named as those of
 * Linux rxe (rcvd_rnr_err, retry_exceeded_err, ...).  EINVAL: not our context;
 * ENOENT: no such counter.
 */
int softdv_counter_read(struct ibv_context *context, const char *name,
			uint64_t *value);

/* The name of counter @index, from 0 on; ENOENT behind the last.  The name is
 * valid for ever. */
int softdv_counter_name(unsigned int index, const char **name);

#ifdef __cplusplus
}
#endif

#endif
