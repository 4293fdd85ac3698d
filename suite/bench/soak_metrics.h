/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A soak as metrics, while it runs and at its end. */
#ifndef SUITE_BENCH_SOAK_METRICS_H
#define SUITE_BENCH_SOAK_METRICS_H

#include <stdint.h>

#include "suite/bench/soak.h"
#include "suite/report/metrics.h"

struct soak_metrics {
	const struct soak *soak;
	const struct soak_outcome *outcome; /* NULL: it still runs */
	const char *kind;		    /* of the device */
	uint64_t started_s;		    /* since 1970 */
};

/* A metrics_fill: @arg is a struct soak_metrics. */
void soak_metrics_fill(void *arg, struct metrics_text *t);

#endif
