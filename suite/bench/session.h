/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both ends of a traffic program, in processes of their own (or as two threads
 * of one): what the device breaks stays there, and this process never opens
 * one.  It looks on:
 *
 *	session_start() .. session_wait() again and again .. session_end()
 *
 * An end may be another host's.  Then a process here stands for it: it carries
 * words to and from there, and what that end shows and finds comes into the
 * same places.
 */
#ifndef SUITE_BENCH_SESSION_H
#define SUITE_BENCH_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"

enum { SESSION_ENDS = 2 };

struct session_shared;

/* The keeper of an end that is another host's.  Each returns 0, or a negative
 * errno and @error. */
struct session_far {
	uint32_t side; /* of that end */
	/* Before a session, and when no process of it is left here: what there
	 * is to be said of the half there. */
	int (*begin)(const struct session_far *far, struct strbuf *error);
	int (*end)(const struct session_far *far, struct strbuf *error);
	/* In a process of its own, until the end is over: its results are in
	 * @shared; @fd leads to the end that is here. */
	int (*carry)(const struct session_far *far,
		     struct session_shared *shared, int fd);
};

/* For all sessions of this process from now on; NULL: both ends are here. */
void session_set_far(const struct session_far *far);

struct session {
	/* Shared with the ends: what they show, and what they found. */
	const struct traffic_live *live[SESSION_ENDS];
	const struct traffic_result *results[SESSION_ENDS];
	pid_t pids[SESSION_ENDS];      /* 0: gone, or the thread of another's */
	const struct session_far *far; /* NULL: both ends are here */
	void *inner;
};

/* 0, or a negative errno and @error. */
int session_start(const struct traffic_program *p, struct session *s,
		  struct strbuf *error) MUST_USE;
/* True: both ends are gone.  Else at least one is still there @wait_ms later,
 * or a signal came. */
bool session_wait(struct session *s, int wait_ms);
/* Ask the end that leads to stop early, in order; the second time: at once. */
void session_stop(struct session *s);
/*
 * Wait for both, for at most @limit_ms; after that they are killed.  0; or
 * -EIO and the reason why the run was not completed in @error: an end that
 * failed or died, or two ledgers that disagree.  The results are there in any
 * case, until session_free().
 */
int session_end(struct session *s, int limit_ms, struct strbuf *error) MUST_USE;
void session_free(struct session *s);
/* Memory and descriptors of the process of an end; 0: not known now. */
void session_usage(const struct session *s, uint32_t end,
		   uint64_t *memory_bytes, uint64_t *descriptors);
/* How long its host has kept it from running since it was started; 0: not
 * known. */
uint64_t session_starved(const struct session *s, uint32_t end);

/*
 * One end alone, whose other one is reached through *@fd by whoever called
 * this: what is read there is for it, what comes from it is written there.
 * It is ended by session_end_half().
 */
int session_start_half(const struct traffic_program *p, uint32_t end,
		       struct session *s, int *fd,
		       struct strbuf *error) MUST_USE;
/* As session_end(); how it ended stands in its result. */
void session_end_half(struct session *s, int limit_ms);

/* Start, wait, end; the results are copied.  Interrupted: cut short. */
int session_run(const struct traffic_program *p,
		struct traffic_result *results[SESSION_ENDS],
		struct strbuf *error) MUST_USE;

/* SIGINT and SIGTERM are counted from now on, not obeyed.  How many came? */
void session_catch_signals(void);
unsigned session_signals(void);

#endif
