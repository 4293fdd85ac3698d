/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A histogram of high dynamic range: from 1 ns to 18 minutes each value is kept
 * to better than one part in 128, in a fixed array.  A plain struct: it may lie
 * in shared memory, be copied, and be added to another.
 *
 * Values below 256 have a bucket each; above, each power of two is cut into
 * 128 buckets.
 */
#ifndef SUITE_BENCH_HISTOGRAM_H
#define SUITE_BENCH_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_FINE_BITS = 7,
	HISTOGRAM_FINE = 1 << HISTOGRAM_FINE_BITS,
	HISTOGRAM_VALUE_BITS = 40,
	HISTOGRAM_BUCKETS = (HISTOGRAM_VALUE_BITS - HISTOGRAM_FINE_BITS + 1) *
			    HISTOGRAM_FINE,
};

struct histogram {
	uint64_t count;
	uint64_t sum;
	uint64_t max; /* exact; larger values stand in the last bucket */
	uint64_t min; /* exact; meaningless while count is 0 */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline uint32_t histogram_bucket(uint64_t value)
{
	uint32_t shift;

	if (value < 2 * HISTOGRAM_FINE)
		return (uint32_t)value;
	if (value >> HISTOGRAM_VALUE_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63 - HISTOGRAM_FINE_BITS - (uint32_t)__builtin_clzll(value);
	return shift * HISTOGRAM_FINE + (uint32_t)(value >> shift);
}

static inline void histogram_add(struct histogram *h, uint64_t value)
{
	if (h->count++ == 0 || value < h->min)
		h->min = value;
	if (value > h->max)
		h->max = value;
	h->sum += value;
	h->buckets[histogram_bucket(value)]++;
}

/* What was added since @before, an older copy of @now. */
void histogram_since(const struct histogram *now,
		     const struct histogram *before, struct histogram *out);
/*
 * The least value that @percent of all are not above, to a bucket's upper
 * bound; 100 is the maximum, exact.  0 when nothing was added.
 */
uint64_t histogram_percentile(const struct histogram *h, double percent);
/* The largest value of that bucket. */
uint64_t histogram_upper(uint32_t bucket);

#endif
