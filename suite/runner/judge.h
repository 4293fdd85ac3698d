/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From what is known of a case's process, once it is over, to the verdict.
 * Pure: no process is looked at here.
 */
#ifndef SUITE_RUNNER_JUDGE_H
#define SUITE_RUNNER_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "suite/runner/outcome.h"
#include "verbatim/verdict.h"

/* Why the process was ended from outside. */
enum judge_stop {
	JUDGE_STOP_NONE,      /* it was not */
	JUDGE_STOP_LIMIT,     /* its time limit */
	JUDGE_STOP_INTERRUPT, /* the run was interrupted */
};

struct judge_facts {
	const struct outcome *outcome;
	int wait_status; /* as waitpid() gives it */
	enum judge_stop stop;
	const char *interrupt; /* what interrupted the run */
	uint64_t limit_ms;
	bool stuck;	       /* SIGKILL did not end it either */
	const char *last_line; /* of the flight recorder; NULL: it is empty */
	unsigned left_count;   /* processes left behind */
	const char *left;      /* the first of them, in words */
};

/* What a case came to, as the event stream tells it. */
struct result {
	enum vb_verdict verdict;
	enum vb_finding finding;	       /* of VB_FAIL and VB_DEVIATION */
	char reason[OUTCOME_REASON_MAX + 256]; /* empty: none */
	uint64_t checks;
	uint64_t duration_ms;
	/* Of VB_DEVIATION: why it is known, from where, and of which kind of
	 * device. */
	const char *deviation_reason, *deviation_source, *deviation_kind;
};

void judge_case(const struct judge_facts *f, struct result *out);

#endif
