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
#include <stddef.h>
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

/*
 * Fault rules: what shall happen to packets on their way, on every link; the
 * grammar is in libsoftrdma(7).  All contexts of a process share them, with
 * those of SOFT_FAULTS at the beginning.
 *
 * Add the rules of a text, "drop:op=ack,nth=3;corrupt:rate=0.01,seed=7", or
 * none of them.  EINVAL: not our context, or something is wrong with the text;
 * then *@error, unless @error is NULL, is one line that says what, to be freed,
 * or NULL.  ENOSPC: there would be more than 64.
 */
int softdv_fault_add(struct ibv_context *context, const char *rules,
		     char **error);

/* Forget all rules.  Packets that they hold back go on their way. */
int softdv_fault_clear(struct ibv_context *context);

/*
 * How many packets rule @index, from 0 on, has fitted, and on how many of them
 * it has acted; and the rule itself, cut to @text_bytes with its NUL, unless
 * @text is NULL.  ENOENT behind the last.
 */
int softdv_fault_hits(struct ibv_context *context, unsigned int index,
		      uint64_t *fitted, uint64_t *acted, char *text,
		      size_t text_bytes);

#ifdef __cplusplus
}
#endif

#endif
