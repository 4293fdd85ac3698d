/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Statistics that assume nothing of how values are distributed: by ranks and
 * medians.  What is measured on a host in use has outliers by nature.
 */
#ifndef SUITE_ORACLE_STATISTICS_H
#define SUITE_ORACLE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

enum {
	/* Of one sample in a comparison. */
	STATISTICS_SAMPLE_MAX = 100,
	/* Of a series in which a trend is looked for. */
	STATISTICS_SERIES_MAX = 4096,
};

/* @count at least 1; the values are left as they are.  At most
 * STATISTICS_SERIES_MAX. */
double statistics_median(const double *values, size_t count);
/*
 * Mann and Whitney's test, two-sided: how probable is it that two samples of
 * the same thing lie at least so far apart?  Exact for small samples, ties
 * included; each has 1 to STATISTICS_SAMPLE_MAX values.
 */
double statistics_rank_test(const double *a, size_t a_count, const double *b,
			    size_t b_count);
/* The least value that statistics_rank_test() can have for these sizes. */
double statistics_rank_test_least(size_t a_count, size_t b_count);
/*
 * Bounds of median(b) / median(a), by drawing from both samples anew, with
 * @confidence (0.95: all but 2.5 % at each side).  The same for the same
 * input.
 */
void statistics_ratio_bounds(const double *a, size_t a_count, const double *b,
			     size_t b_count, double confidence, double *low,
			     double *high);
/*
 * Mann and Kendall's test for a trend: the number of standard deviations by
 * which more pairs rise than fall (positive), or the reverse.  0 for fewer than
 * 4 values.
 */
double statistics_trend(const double *values, size_t count);
/* Theil and Sen's slope: the median of the slopes of all pairs. */
double statistics_slope(const double *times, const double *values,
			size_t count);

#endif
