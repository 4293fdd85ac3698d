// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests by ranks; the sizes are limited so that all fits into arrays. */
#include "suite/oracle/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"

enum {
	/* Beyond, the normal distribution is as good as counting. */
	STATISTICS_EXACT = 24,
	STATISTICS_DRAWS = 1000,
};

static int statistics_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of values that may be put in order. */
static double statistics_median_of(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), statistics_order);
	return count % 2 ? values[count / 2]
			 : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double statistics_median(const double *values, size_t count)
{
	double copy[STATISTICS_SERIES_MAX];

	assert(count > 0 && count <= STATISTICS_SERIES_MAX);
	memcpy(copy, values, count * sizeof(*values));
	return statistics_median_of(copy, count);
}

/* --- Two samples --------------------------------------------------------- */

struct statistics_ranks {
	/* Twice the rank of each value: equal ones share a mean. */
	unsigned doubled[2 * STATISTICS_SAMPLE_MAX];
	size_t count;
	unsigned a_sum; /* of the first sample's */
	double ties;	/* sum of t^3 - t over groups of t equal ones */
};

static void statistics_rank(const double *a, size_t a_count, const double *b,
			    size_t b_count, struct statistics_ranks *r)
{
	double all[2 * STATISTICS_SAMPLE_MAX];

	memcpy(all, a, a_count * sizeof(*a));
	memcpy(all + a_count, b, b_count * sizeof(*b));
	*r = (struct statistics_ranks){ .count = a_count + b_count };
	for (size_t i = 0; i < r->count; i++) {
		unsigned less = 0, equal = 0;

		for (size_t k = 0; k < r->count; k++) {
			less += all[k] < all[i];
			equal += all[k] == all[i];
		}
		r->doubled[i] = 2 * less + equal + 1;
		if (i < a_count)
			r->a_sum += r->doubled[i];
		/* Each of the group brings its part. */
		r->ties += (double)equal * equal - 1;
	}
}

/*
 * Of all choices of @a_count of the ranks, which part has a sum at least as far
 * from the mean as the one seen?  ways[k][s]: choices of k ranks with sum s.
 */
static double statistics_exact(const struct statistics_ranks *r, size_t a_count)
{
	enum { SUMS = 2 * STATISTICS_EXACT * (STATISTICS_EXACT + 1) + 1 };
	static _Thread_local double ways[STATISTICS_EXACT + 1][SUMS];
	double mean = (double)a_count * (double)(r->count + 1);
	double far = fabs((double)r->a_sum - mean) - 1e-9;
	double extreme = 0, all = 0;

	memset(ways, 0, sizeof(ways));
	ways[0][0] = 1;
	for (size_t i = 0; i < r->count; i++)
		for (size_t k = a_count; k-- > 0;)
			for (size_t s = 0; s + r->doubled[i] < SUMS; s++)
				ways[k + 1][s + r->doubled[i]] += ways[k][s];
	for (size_t s = 0; s < SUMS; s++) {
		all += ways[a_count][s];
		if (fabs((double)s - mean) >= far)
			extreme += ways[a_count][s];
	}
	return extreme / all;
}

static double statistics_normal(const struct statistics_ranks *r,
				size_t a_count)
{
	double n = (double)a_count, m = (double)(r->count - a_count);
	double all = n + m;
	double mean = n * (all + 1);
	double ties = r->ties / (all * (all - 1));
	double deviation = sqrt(n * m / 12 * (all + 1 - ties));
	double far = fabs((double)r->a_sum - mean) / 2 - 0.5;

	if (deviation <= 0 || far <= 0)
		return 1;
	return erfc(far / deviation / sqrt(2));
}

double statistics_rank_test(const double *a, size_t a_count, const double *b,
			    size_t b_count)
{
	struct statistics_ranks r;

	assert(a_count > 0 && a_count <= STATISTICS_SAMPLE_MAX);
	assert(b_count > 0 && b_count <= STATISTICS_SAMPLE_MAX);
	statistics_rank(a, a_count, b, b_count, &r);
	return r.count <= STATISTICS_EXACT ? statistics_exact(&r, a_count)
					   : statistics_normal(&r, a_count);
}

double statistics_rank_test_least(size_t a_count, size_t b_count)
{
	double a[STATISTICS_SAMPLE_MAX], b[STATISTICS_SAMPLE_MAX];

	for (size_t i = 0; i < a_count; i++)
		a[i] = (double)i;
	for (size_t i = 0; i < b_count; i++)
		b[i] = (double)(a_count + i);
	return statistics_rank_test(a, a_count, b, b_count);
}

static double statistics_draw_median(struct prng *p, const double *values,
				     size_t count)
{
	double drawn[STATISTICS_SAMPLE_MAX];

	for (size_t i = 0; i < count; i++)
		drawn[i] = values[prng_below(p, count)];
	return statistics_median_of(drawn, count);
}

void statistics_ratio_bounds(const double *a, size_t a_count, const double *b,
			     size_t b_count, double confidence, double *low,
			     double *high)
{
	static _Thread_local double ratios[STATISTICS_DRAWS];
	size_t out = (size_t)((1 - confidence) / 2 * STATISTICS_DRAWS);
	struct prng p;

	assert(a_count > 0 && a_count <= STATISTICS_SAMPLE_MAX);
	assert(b_count > 0 && b_count <= STATISTICS_SAMPLE_MAX);
	prng_seed(&p, 1);
	for (size_t i = 0; i < STATISTICS_DRAWS; i++) {
		double from = statistics_draw_median(&p, a, a_count);
		double to = statistics_draw_median(&p, b, b_count);

		ratios[i] = from != 0 ? to / from : to == 0 ? 1 : HUGE_VAL;
	}
	qsort(ratios, STATISTICS_DRAWS, sizeof(ratios[0]), statistics_order);
	*low = ratios[out];
	*high = ratios[STATISTICS_DRAWS - 1 - out];
}

/* --- One series ---------------------------------------------------------- */

double statistics_trend(const double *values, size_t count)
{
	double balance = 0, ties = 0, variance, n = (double)count;

	assert(count <= STATISTICS_SERIES_MAX);
	if (count < 4)
		return 0;
	for (size_t i = 0; i < count; i++) {
		double equal = 0;

		for (size_t k = 0; k < count; k++) {
			if (k > i)
				balance += (values[k] > values[i]) -
					   (values[k] < values[i]);
			equal += values[k] == values[i];
		}
		ties += (equal - 1) * (2 * equal + 5);
	}
	variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
	if (variance <= 0 || balance == 0)
		return 0;
	return (balance - (balance > 0 ? 1 : -1)) / sqrt(variance);
}

double statistics_slope(const double *times, const double *values, size_t count)
{
	size_t pairs = 0;
	double *slopes, median = 0;

	assert(count <= STATISTICS_SERIES_MAX);
	if (count < 2)
		return 0;
	slopes = malloc(count * (count - 1) / 2 * sizeof(*slopes));
	if (!slopes)
		abort();
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			if (times[k] != times[i])
				slopes[pairs++] = (values[k] - values[i]) /
						  (times[k] - times[i]);
	if (pairs > 0)
		median = statistics_median_of(slopes, pairs);
	free(slopes);
	return median;
}
