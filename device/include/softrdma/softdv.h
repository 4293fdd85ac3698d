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

/*
 * Take the port down (@up 0) or up again, as when the cable is pulled: all
 * contexts of the process get PORT_ERR or PORT_ACTIVE, the port is queried as
 * it is then, and while it is down no packet goes or comes.  EINVAL: not our
 * context.
 */
int softdv_port_set(struct ibv_context *context, int up);

/*
 * Keep the headers of the last @count packets, at most 1024, that go and come
 * from here on; what was kept before is forgotten, and with @count 0 nothing is
 * kept.  EINVAL: not our context, or too many.
 */
int softdv_packets_keep(struct ibv_context *context, unsigned int count);

/*
 * Show them, oldest first: @line gets for each when it was, in nanoseconds of
 * CLOCK_MONOTONIC, and who sent what to whom in words.  It must not call the
 * device.
 */
int softdv_packets_show(struct ibv_context *context,
			void (*line)(void *arg, uint64_t when_ns,
				     const char *text),
			void *arg);

/*
 * Mutants: seeded defects, off unless chosen, by SOFT_MUTANTS or here.  What a
 * suite that looks for defects should find; each row says how.
 */
struct softdv_mutant {
	const char *id;	      /* "M07" */
	const char *name;     /* "wire-opcode-in-wc" */
	const char *sentence; /* what it does, and when */
	const char *evidence; /* ids of reports that it is made after, "A,B" */
	const char *rule;     /* the rule that it breaks */
	/* The cases that are expected to fail for it, "a/b,c/d", or "". */
	const char *cases;
	/* With which finding, "wrong-field", or "wrong-field:opcode" when the
	 * reason has that text too. */
	const char *finding;
	uint64_t param; /* what SOFT_MUTANTS=M07 takes; M07:3 takes 3 */
};

/* The row of mutant @index, from 0 on, sorted by id; valid for ever.  ENOENT
 * behind the last. */
int softdv_mutants(unsigned int index, const struct softdv_mutant **row);

/* Switch one on or off in the adapter that all contexts of the process share,
 * until it is closed.  EINVAL: not our context; ENOENT: no such mutant; what
 * mprotect(2) says when this process may not change its code. */
int softdv_mutant_set(struct ibv_context *context, const char *id, int on,
		      uint64_t param);

/* How often its situation has come up in this process while it was on: 0 of
 * one that was on means that nothing was tried that it could have spoilt. */
int softdv_mutant_count(const char *id, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
