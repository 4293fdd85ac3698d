// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every value keeps its place to one part in 128, over twelve decades. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/bench/histogram.h"

static void test_buckets(void **state)
{
	uint64_t value = 1;

	for (uint32_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		/* Bucket after bucket without a gap. */
		assert_int_equal(histogram_bucket(histogram_upper(i)), i);
		assert_int_equal(histogram_bucket(histogram_upper(i) + 1),
				 i + 1);
	}
	for (int shift = 0; shift < 39; shift++, value = value * 2 + 1) {
		uint64_t upper = histogram_upper(histogram_bucket(value));

		assert_in_range(upper, value, value + value / 128);
	}
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void test_percentiles(void **state)
{
	static struct histogram h;

	memset(&h, 0, sizeof(h));
	assert_int_equal(histogram_percentile(&h, 50), 0);
	for (uint64_t i = 1; i <= 100000; i++)
		histogram_add(&h, i * 10);
	assert_in_range(histogram_percentile(&h, 50), 500000, 504000);
	assert_in_range(histogram_percentile(&h, 99), 990000, 998000);
	assert_in_range(histogram_percentile(&h, 99.9), 999000, 1000000);
	assert_int_equal(histogram_percentile(&h, 100), 1000000);
	assert_int_equal(h.min, 10);
}

static void test_since(void **state)
{
	static struct histogram a, b, diff;
	struct prng p;

	prng_seed(&p, 1);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	for (int i = 0; i < 1000; i++)
		histogram_add(&a, prng_below(&p, 1000));
	b = a;
	for (int i = 0; i < 500; i++)
		histogram_add(&b, 5000 + prng_below(&p, 1000));
	histogram_since(&b, &a, &diff);
	assert_int_equal(diff.count, 500);
	assert_in_range(histogram_percentile(&diff, 1), 5000, 5100);
	assert_in_range(diff.min, 5000, 5100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
