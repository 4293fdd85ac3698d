/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The outside of a case's process: start it, watch it, end it, and leave no
 * process of it behind.
 */
#ifndef SUITE_RUNNER_PROCESS_H
#define SUITE_RUNNER_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"
#include "suite/runner/judge.h"
#include "verbatim/case.h"

struct area;
struct inside_peer;

/* From SIGKILL to the end of a process; a driver may have much to release. */
enum { PROCESS_DEATH_MS = 10000 };

/* What the worker keeps for starting cases. */
struct process_host {
	struct area *area;
	int signals;	/* signalfd: SIGCHLD and what interrupts a run */
	int front;	/* reads end of file when the front process is gone */
	int capture[2]; /* pipe: what cases print */
	const struct inside_peer *peer; /* for the cases; NULL: none */
	/* Why the run ends before its time; NULL: it does not. */
	const char *interrupt;
	char left[128]; /* text of judge_facts.left */
};

/* SIGCHLD, and what interrupts a run. */
void process_signal_set(sigset_t *out);

/* Blocks the signals of this process that @host takes. */
int process_host_open(struct process_host *host, struct area *area,
		      int front) MUST_USE;
void process_host_close(struct process_host *host);
/* Has something interrupted the run?  Looks without waiting. */
bool process_host_interrupted(struct process_host *host);

/*
 * Run one case to its end.  0 and *@out, or a negative errno when no process
 * could be started.  @out points into @host until the next call.
 */
int process_run(struct process_host *host, const struct vb_case *record,
		const struct vb_options *options, uint64_t seed,
		struct judge_facts *out) MUST_USE;

/*
 * Kill and reap every child of this process, which must be a "subreaper".
 * Returns how many were alive; the first is described in @first.
 */
unsigned process_sweep(char *first, size_t size);

/* Wait for @pid to end: 0 and its status, -ETIMEDOUT, or another error. */
int process_wait(pid_t pid, uint64_t deadline_ns, int *status) MUST_USE;

#endif
