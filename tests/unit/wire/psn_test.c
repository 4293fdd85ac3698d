// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PSN arithmetic, above all where it wraps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"
#include "device/wire/psn.h"

static void test_wrap(void **state)
{
	struct psn last = psn_make(PSN_MASK);
	struct psn zero = psn_add(last, 1);

	assert_int_equal(zero.v, 0);
	assert_int_equal(psn_make(0x1000000).v, 0);
	assert_int_equal(psn_make((uint32_t)-1).v, PSN_MASK);
	assert_int_equal(psn_distance(last, zero), 1);
	assert_int_equal(psn_distance(zero, last), -1);
	assert_true(psn_cmp(last, zero) < 0);
	assert_true(psn_cmp(zero, last) > 0);
	assert_int_equal(psn_cmp(zero, zero), 0);
	assert_int_equal(psn_add(last, 0x1000000).v, PSN_MASK);
}

/* The furthest distances that still have a direction. */
static void test_half(void **state)
{
	struct psn a = psn_make(0x123456);

	assert_int_equal(psn_distance(a, psn_add(a, 0x7fffff)), 0x7fffff);
	assert_int_equal(psn_distance(psn_add(a, 0x7fffff), a), -0x7fffff);
	assert_int_equal(psn_distance(a, psn_add(a, 0x800000)), -0x800000);
}

static void test_anywhere(void **state)
{
	struct prng r;
	unsigned i;

	prng_seed(&r, 0x959);
	for (i = 0; i < 10000; i++) {
		struct psn a = psn_make((uint32_t)prng_next(&r));
		uint32_t ahead = (uint32_t)prng_range(&r, 1, 0x7fffff);
		struct psn b = psn_add(a, ahead);

		assert_in_range(b.v, 0, PSN_MASK);
		assert_int_equal(psn_distance(a, b), ahead);
		assert_int_equal(psn_distance(b, a), -(int32_t)ahead);
		assert_true(psn_cmp(a, b) < 0 && psn_cmp(b, a) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_half),
		cmocka_unit_test(test_anywhere),
	};

	return cmocka_run_group_tests_name("wire/psn", tests, NULL, NULL);
}
