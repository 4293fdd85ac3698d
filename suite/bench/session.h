/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both ends of a traffic program on this host, in processes of their own (or
 * as two threads of one): what the device breaks stays there, and this process
 * never opens one.  It looks on:
 *
 *	session_start() .. session_wait() again and again .. session_end()
 */
#ifndef SUITE_BENCH_SESSION_H
#define SUITE_BENCH_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"

enum { SESSION_ENDS = 2 };

struct session {
	/* Shared with the ends: what they show, and what they found. */
	const struct traffic_live *live[SESSION_ENDS];
	const struct traffic_result *results[SESSION_ENDS];
	pid_t pids[SESSION_ENDS]; /* 0: gone, or the thread of another's */
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

/* Start, wait, end; the results are copied.  Interrupted: cut short. */
int session_run(const struct traffic_program *p,
		struct traffic_result *results[SESSION_ENDS],
		struct strbuf *error) MUST_USE;

/* SIGINT and SIGTERM are counted from now on, not obeyed.  How many came? */
void session_catch_signals(void);
unsigned session_signals(void);

#endif
