// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Percentiles and sums of histograms; adding a value is in the header. */
#include "suite/bench/histogram.h"

#include <string.h>

void histogram_since(const struct histogram *now,
		     const struct histogram *before, struct histogram *out)
{
	uint64_t count = 0;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		/* The copy may have been taken while it was written. */
		if (now->buckets[i] <= before->buckets[i])
			continue;
		out->buckets[i] = now->buckets[i] - before->buckets[i];
		if (count == 0)
			out->min = histogram_upper(i);
		out->max = histogram_upper(i);
		count += out->buckets[i];
	}
	out->count = count;
	out->sum = now->sum - before->sum;
	if (out->max > now->max)
		out->max = now->max;
	if (out->min < now->min)
		out->min = now->min;
}

uint64_t histogram_upper(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 2 * HISTOGRAM_FINE)
		return bucket;
	shift = bucket / HISTOGRAM_FINE - 1;
	return (((uint64_t)(bucket % HISTOGRAM_FINE) + HISTOGRAM_FINE + 1)
		<< shift) -
	       1;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t seen = 0;
	double want = percent / 100 * (double)h->count;

	if (h->count == 0)
		return 0;
	if (percent >= 100)
		return h->max;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t upper;

		seen += h->buckets[i];
		if ((double)seen < want || seen == 0)
			continue;
		upper = histogram_upper(i);
		return upper < h->max ? upper : h->max;
	}
	return h->max;
}
