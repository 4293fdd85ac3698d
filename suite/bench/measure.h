/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a bench measures of a device: for each size the throughput, with the
 * processor's part and the latency under that load; the round trip of one
 * message at a time; and the round trip at fixed rates, counted from the time
 * at which each message should have been sent, so that a stall counts for all
 * whom it delays.
 *
 * All is measured once, then all again: what changes on the host with time is
 * in the spread of every figure, and not in the difference of two.  A
 * measurement in which the host gave a polling end less than nine tenths of a
 * processor is made again, at most half as many as there are in all.
 */
#ifndef SUITE_BENCH_MEASURE_H
#define SUITE_BENCH_MEASURE_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "suite/bench/figures.h"
#include "suite/bench/traffic.h"

struct measure {
	struct traffic_program program; /* of the throughput */
	struct vb_sizes sizes;		/* LIST: one after the other */
	struct vb_sizes rates;		/* LIST; entries of 0 are left out */
	uint32_t repeats;
	/* Of long messages fewer are in flight than the program says: so many
	 * bytes, but two messages; 0: as it says. */
	uint64_t window_bytes;
	/* Called before each measurement with how far it is; may be NULL. */
	void (*progress)(void *arg, uint32_t done, uint32_t all,
			 const char *what);
	void *arg;
};

/*
 * 0; -EINTR: interrupted, with what was measured until then in @out; -EIO: an
 * end failed, or found something, as @error tells.
 */
int measure_all(const struct measure *m, struct figures *out,
		struct strbuf *error) MUST_USE;

#endif
