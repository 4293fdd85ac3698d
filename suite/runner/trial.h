/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A part of a case tried in a process of its own, as often as the case likes:
 * what it says there, or how it dies, is a result and not yet a verdict.
 */
#ifndef SUITE_RUNNER_TRIAL_H
#define SUITE_RUNNER_TRIAL_H

#include <stdint.h>

#include "base/compiler.h"
#include "suite/runner/judge.h"
#include "verbatim/case.h"

struct area;

struct trial {
	struct area *area;    /* of the last run, until the next */
	struct result result; /* likewise */
};

/* 0 or a negative errno. */
int trial_open(struct trial *trial) MUST_USE;
void trial_close(struct trial *trial);
/*
 * Run @fn with a test like @t but for @seed, no ends of @t being open, and
 * close what it has opened, within @limit_ms times --patience.  What @fn
 * leaves unsaid is a pass.
 */
void trial_run(struct trial *trial, const struct vb_test *t, uint64_t seed,
	       void (*fn)(struct vb_test *t, void *arg), void *arg,
	       unsigned limit_ms);
/* Its checks are @t's too. */
void trial_count(const struct trial *trial, struct vb_test *t);
/* What the last run said is what @t says, with what was recorded of it and
 * the words of @format behind the reason. */
void trial_adopt(const struct trial *trial, struct vb_test *t,
		 const char *format, ...) PRINTF_LIKE(3, 4) NO_RETURN;

/* The folder of the run's files; NULL without a runner. */
const char *trial_folder(const struct vb_test *t);

#endif
