// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Processes of a case's own.  They belong to its group, so that what ends the
 * case ends them, and each has an area like a case's, where its words are kept
 * apart from the case's.
 */
#include "suite/runner/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "suite/oracle/dashboard.h"
#include "suite/runner/area.h"
#include "suite/runner/inside.h"
#include "suite/runner/process.h"

int trial_open(struct trial *trial)
{
	return area_map(&trial->area);
}

void trial_close(struct trial *trial)
{
	area_unmap(trial->area);
	trial->area = NULL;
}

static void trial_inside(struct trial *trial, const struct vb_test *t,
			 uint64_t seed,
			 void (*fn)(struct vb_test *t, void *arg), void *arg,
			 uint64_t limit_ns) NO_RETURN;

static void trial_inside(struct trial *trial, const struct vb_test *t,
			 uint64_t seed,
			 void (*fn)(struct vb_test *t, void *arg), void *arg,
			 uint64_t limit_ns)
{
	struct inside inside = {
		.area = trial->area,
		.end_ns = clock_now_ns() + limit_ns / 10 * 9,
	};
	const struct inside *outer = t->runner;
	struct vb_test own = *t;

	if (outer)
		inside.peer = outer->peer;
	own.seed = seed;
	own.runner = &inside;
	own.ends = NULL;
	fn(&own, arg);
	if (vb_ends_close)
		vb_ends_close(&own);
	outcome_settle(&trial->area->outcome, VB_PASS, VB_FIND_OTHER, "%s", "");
	inside_leave();
}

static void trial_follow(struct trial *trial, struct vb_test *t, pid_t pid,
			 uint64_t limit_ns)
{
	struct judge_facts facts = { .outcome = &trial->area->outcome,
				     .limit_ms = limit_ns / NS_PER_MS };
	int err = process_wait(pid, clock_now_ns() + limit_ns,
			       &facts.wait_status);
	char *last_line;

	if (err == -ETIMEDOUT) {
		facts.stop = JUDGE_STOP_LIMIT;
		kill(pid, SIGKILL);
		err = process_wait(
			pid, clock_now_ns() + PROCESS_DEATH_MS * NS_PER_MS,
			&facts.wait_status);
		facts.stuck = err == -ETIMEDOUT;
	}
	/* Told to stop meanwhile: then this is no result. */
	(void)vb_waiting(t, 0);
	last_line = area_last_line(trial->area);
	facts.last_line = last_line;
	judge_case(&facts, &trial->result);
	free(last_line);
}

void trial_run(struct trial *trial, const struct vb_test *t, uint64_t seed,
	       void (*fn)(struct vb_test *t, void *arg), void *arg,
	       unsigned limit_ms)
{
	uint64_t limit_ns =
		(uint64_t)(limit_ms * t->options->patience * (double)NS_PER_MS);
	struct vb_test copy = *t;
	pid_t here = getpid(), pid;

	area_begin(trial->area, 0);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		vb_broken(&copy, "no process for a trial: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != here)
			_exit(0);
		trial_inside(trial, t, seed, fn, arg, limit_ns);
	}
	trial_follow(trial, &copy, pid, limit_ns);
}

void trial_count(const struct trial *trial, struct vb_test *t)
{
	struct inside *inside = t->runner;

	if (inside)
		atomic_fetch_add(&inside->area->outcome.checks,
				 trial->result.checks);
}

void trial_adopt(const struct trial *trial, struct vb_test *t,
		 const char *format, ...)
{
	struct inside *inside = t->runner;
	const struct area *from = trial->area;
	char more[OUTCOME_REASON_MAX / 2];
	struct area *area;
	va_list args;

	va_start(args, format);
	vsnprintf(more, sizeof(more), format, args);
	va_end(args);
	if (!inside)
		vb_fail(t, trial->result.finding, "%s%s", trial->result.reason,
			more);
	area = inside->area;
	memcpy(area->recorder_memory, from->recorder_memory,
	       area->recorder_bytes);
	memcpy(area->dashboard_memory, from->dashboard_memory,
	       sizeof(struct dashboard));
	if (outcome_settle(&area->outcome, trial->result.verdict,
			   trial->result.finding, "%.*s%s",
			   (int)(OUTCOME_REASON_MAX - strlen(more) - 1),
			   trial->result.reason, more))
		memcpy(area->outcome.diagnosis, from->outcome.diagnosis,
		       sizeof(area->outcome.diagnosis));
	inside_leave();
}

const char *trial_folder(const struct vb_test *t)
{
	const struct inside *inside = t->runner;

	return inside && inside->area->folder[0] ? inside->area->folder : NULL;
}
