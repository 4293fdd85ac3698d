/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Is run B better or worse than run A?  Figure by figure, tails apart.
 *
 * A figure is worse when it is so by more than the threshold, with confidence
 * (the bounds of the ratio of medians lie beyond it), and when ranks say that
 * it is no chance.  It is the same when it changed by less than the threshold;
 * unclear when it changed by more, and that may be chance.
 *
 * Where others on the host have disturbed more than half of the measurements of
 * a run, what became better or worse may be the host: all is unclear.
 */
#ifndef SUITE_BENCH_COMPARE_H
#define SUITE_BENCH_COMPARE_H

#include <jansson.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/figures.h"

enum compare_verdict {
	COMPARE_SAME,
	COMPARE_BETTER,
	COMPARE_WORSE,
	COMPARE_UNCLEAR,
	COMPARE_UNJUDGED, /* one extreme value, or in one of the runs only */
};

struct compare_limits {
	double threshold, tail_threshold; /* parts: 0.1 is 10 % */
	/* Of a wrong "worse" or "better" over all figures. */
	double alpha;
};

struct compare_figure {
	const struct figure *a, *b;
	enum compare_verdict verdict;
	double change; /* of the median: 0.1 is 10 % more */
	double change_low, change_high;
	double p; /* of chance */
};

struct compare_result {
	enum compare_verdict verdict; /* of all */
	bool disturbed;		      /* it is unclear for that */
	bool tail_only; /* what is worse, or better, are tails alone */
	uint32_t counts[COMPARE_UNJUDGED + 1];
	uint32_t count;
	struct compare_figure list[FIGURES_MAX];
};

/* The settings in which two runs differ, a line each; how many. */
uint32_t compare_settings(const struct figures *a, const struct figures *b,
			  struct strbuf *out);
void compare_figures(const struct figures *a, const struct figures *b,
		     const struct compare_limits *limits,
		     struct compare_result *out);
const char *compare_verdict_name(enum compare_verdict verdict);
/* "worse in the tail" */
const char *compare_result_text(const struct compare_result *r);

#endif
