/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics as monitoring systems read them, in either of two forms: OpenMetrics
 * 1.0, and the older text of Prometheus (0.0.4).  They differ in how a family
 * is called and ended, never in a sample.
 *
 *	metrics_family() metrics_sample() ...  for each family
 */
#ifndef SUITE_REPORT_METRICS_H
#define SUITE_REPORT_METRICS_H

#include "base/compiler.h"
#include "base/strbuf.h"

enum metrics_form { METRICS_OPEN, METRICS_PLAIN, METRICS_FORMS };

enum metrics_name {
#define METRIC(name, ...) METRICS_##name,
#include "suite/report/metrics.def"
#undef METRIC
	METRICS_NAMES,
};

struct metrics_text {
	struct strbuf *out;
	enum metrics_form form;
	enum metrics_name family; /* the one that was begun last */
};

/* Begin a family; each at most once in a text. */
void metrics_family(struct metrics_text *t, enum metrics_name name);
/* A sample of it; names and values of labels in turn, then NULL. */
void metrics_sample(struct metrics_text *t, double value, ...)
	__attribute__((sentinel));
/* The same with a suffix of its own: "_bucket", "_sum", "_count". */
void metrics_part(struct metrics_text *t, const char *suffix, double value, ...)
	__attribute__((sentinel));
void metrics_end(struct metrics_text *t);

/* What HTTP calls that form. */
const char *metrics_content_type(enum metrics_form form);

#endif
