/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Curves: throughput and back-pressure over receive queue depth and messages in
 * flight, and where they bend.
 */
#ifndef SUITE_BENCH_SWEEP_H
#define SUITE_BENCH_SWEEP_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/traffic.h"

enum { SWEEP_CELLS_MAX = 4096 };

/* One combination, and what came of it. */
struct sweep_cell {
	uint32_t size, qps, batch, rq_depth, inflight;
	double bytes_per_s, messages_per_s;
	uint64_t messages, rnr, retries;
	double p50_us, p99_us;
};

struct sweep_axes {
	struct vb_sizes sizes, qps, batches, rq_depths, inflights;
};

/* How many combinations there are; the fastest to change is inflight. */
uint64_t sweep_count(const struct sweep_axes *axes);
void sweep_cell_at(const struct sweep_axes *axes, uint64_t number,
		   struct sweep_cell *cell);
/* Run the cell's combination of @base. */
int sweep_measure(const struct traffic_program *base, struct sweep_cell *cell,
		  struct strbuf *error) MUST_USE;

/*
 * What @count cells that differ in inflight alone, ascending, say about the
 * knee: from where on more in flight brings nothing, and where receivers are
 * not ready; in one or two sentences.
 */
void sweep_words(const struct sweep_cell *cells, uint32_t count,
		 struct strbuf *out);
/* "size,qps,..." and the row of a cell, without newline. */
const char *sweep_csv_head(void);
void sweep_csv_row(const struct sweep_cell *cell, struct strbuf *out);

#endif
