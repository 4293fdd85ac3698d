// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests by ranks, against values worked out by hand and by simulation. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/statistics.h"

static void close_to(double is, double must, double within)
{
	if (is < must - within || is > must + within)
		fail_msg("%g is not %g", is, must);
}

static void test_median(void **state)
{
	const double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 };

	close_to(statistics_median(odd, 3), 2, 0);
	close_to(statistics_median(even, 4), 2.5, 0);
}

static void test_rank_test(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 6, 7, 8, 9, 10 };
	const double c[] = { 1, 3, 5, 7, 9 }, d[] = { 2, 4, 6, 8, 10 };
	const double same[] = { 4, 4, 4, 4, 4 };

	/* 2 of the 252 ways to choose 5 of 10. */
	close_to(statistics_rank_test(a, 5, b, 5), 2.0 / 252, 1e-9);
	close_to(statistics_rank_test_least(5, 5), 2.0 / 252, 1e-9);
	/* Tabulated: U = 10. */
	close_to(statistics_rank_test(c, 5, d, 5), 0.6905, 1e-3);
	close_to(statistics_rank_test(same, 5, same, 5), 1, 1e-9);
	close_to(statistics_rank_test(a, 5, b, 1), 2.0 / 6, 1e-9);
}

/* Of equal samples a p below 0.05 comes in about one of twenty; small samples
 * are counted, large ones approximated. */
static void rank_test_rate(size_t count)
{
	enum { TRIES = 2000 };
	double a[50], b[50];
	unsigned low = 0;
	struct prng p;

	prng_seed(&p, count);
	for (int n = 0; n < TRIES; n++) {
		for (size_t i = 0; i < count; i++) {
			a[i] = (double)prng_below(&p, 1000);
			b[i] = (double)prng_below(&p, 1000);
		}
		low += statistics_rank_test(a, count, b, count) < 0.05;
	}
	assert_in_range(low, TRIES * 0.02, TRIES * 0.07);
}

static void test_rank_test_rate(void **state)
{
	rank_test_rate(8);
	rank_test_rate(30);
}

static void test_ratio_bounds(void **state)
{
	double a[10], b[10], low, high;

	for (int i = 0; i < 10; i++) {
		a[i] = 100 + i;
		b[i] = 2 * a[i];
	}
	statistics_ratio_bounds(a, 10, b, 10, 0.95, &low, &high);
	assert_true(low > 1.85 && low < 2);
	assert_true(high < 2.15 && high > 2);
	statistics_ratio_bounds(a, 10, a, 10, 0.95, &low, &high);
	assert_true(low < 1 && high > 1);
}

static void test_trend(void **state)
{
	double up[20], times[20], wave[20];

	for (int i = 0; i < 20; i++) {
		times[i] = 10 + i;
		up[i] = 5 + 2 * i;
		wave[i] = i % 2;
	}
	/* S = 190 of variance 950. */
	close_to(statistics_trend(up, 20), 189 / 30.822, 1e-2);
	close_to(statistics_slope(times, up, 20), 2, 1e-9);
	assert_true(statistics_trend(wave, 20) < 1);
	close_to(statistics_trend(up, 3), 0, 0);
	/* An outlier does not turn the slope. */
	up[7] = 1e9;
	close_to(statistics_slope(times, up, 20), 2, 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_rank_test),
		cmocka_unit_test(test_rank_test_rate),
		cmocka_unit_test(test_ratio_bounds),
		cmocka_unit_test(test_trend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
