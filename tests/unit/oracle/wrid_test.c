// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* wr_id: every field survives, and nothing that is not ours decodes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/wrid.h"

static struct wrid random_id(struct prng *p)
{
	return (struct wrid){
		.generation = (uint32_t)prng_below(p, WRID_GENERATIONS),
		.end = (uint32_t)prng_below(p, WRID_ENDS),
		.qp_index = (uint32_t)prng_below(p, WRID_QPS),
		.queue = (enum wrid_queue)prng_below(p, WRID_QUEUES),
		.sequence = (uint32_t)prng_below(p, WRID_SEQUENCES),
	};
}

static void assert_same(const struct wrid *a, const struct wrid *b)
{
	assert_int_equal(a->generation, b->generation);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->qp_index, b->qp_index);
	assert_int_equal(a->queue, b->queue);
	assert_int_equal(a->sequence, b->sequence);
}

static void test_round_trip(void **state)
{
	struct prng p;

	prng_seed(&p, 1);
	for (int i = 0; i < 20000; i++) {
		struct wrid id = random_id(&p), back;

		assert_int_equal(wrid_decode(wrid_encode(&id), &back), 0);
		assert_same(&id, &back);
	}
}

static void test_extremes(void **state)
{
	struct wrid low = { .generation = 0 };
	struct wrid high = { WRID_GENERATIONS - 1, WRID_ENDS - 1, WRID_QPS - 1,
			     WRID_SRQ, WRID_SEQUENCES - 1 };
	struct wrid back;

	assert_int_equal(wrid_decode(wrid_encode(&low), &back), 0);
	assert_same(&low, &back);
	assert_int_equal(wrid_decode(wrid_encode(&high), &back), 0);
	assert_same(&high, &back);
	assert_int_equal(wrid_decode(0, &back), -EBADMSG);
	assert_int_equal(wrid_decode(UINT64_MAX, &back), -EBADMSG);
}

static void test_flips_refused(void **state)
{
	struct prng p;

	prng_seed(&p, 2);
	for (int i = 0; i < 200; i++) {
		struct wrid id = random_id(&p), back;
		uint64_t good = wrid_encode(&id);

		for (int a = 0; a < 64; a++) {
			uint64_t one = good ^ UINT64_C(1) << a;

			assert_int_equal(wrid_decode(one, &back), -EBADMSG);
			for (int b = a + 1; b < 64; b++)
				assert_int_equal(
					wrid_decode(one ^ UINT64_C(1) << b,
						    &back),
					-EBADMSG);
		}
	}
}

/* What a device keeps of an id, if not all of it. */
static void test_parts_refused(void **state)
{
	const struct wrid small = { .generation = 1 };

	for (uint32_t i = 0; i < 1000; i++) {
		struct wrid id = small, back;
		unsigned taken = 0;
		uint64_t good;

		id.sequence = i;
		good = wrid_encode(&id);
		assert_int_equal(wrid_decode(good << 8 >> 8, &back), -EBADMSG);
		assert_int_equal(wrid_decode(good << 1 >> 1, &back), -EBADMSG);
		for (int bits = 16; bits < 56; bits += 8) {
			uint64_t part = good << (64 - bits) >> (64 - bits);

			taken += wrid_decode(part, &back) == 0;
			taken += wrid_decode(
					 (uint64_t)((int64_t)(part
							      << (64 - bits)) >>
						    (64 - bits)),
					 &back) == 0;
		}
		assert_in_range(taken, 0, 2);
	}
}

static void test_random_refused(void **state)
{
	struct wrid back;
	struct prng p;
	int taken = 0;

	prng_seed(&p, 3);
	for (int i = 0; i < 100000; i++)
		taken += wrid_decode(prng_next(&p), &back) == 0;
	/* 1 in 341 is expected: 293. */
	assert_in_range(taken, 200, 400);
}

static void test_text(void **state)
{
	struct wrid id = { 2, 0, 3, WRID_SQ, 17 };
	struct wrid srq = { 1, 1, 0, WRID_SRQ, 5 };
	struct wrid longest = { WRID_GENERATIONS - 1, 1, WRID_QPS - 1, WRID_SRQ,
				WRID_SEQUENCES - 1 };
	char text[WRID_TEXT_MAX];

	assert_string_equal(wrid_text(wrid_encode(&id), text),
			    "a qp3 sq #17 gen 2");
	assert_string_equal(wrid_text(wrid_encode(&srq), text),
			    "b srq0 #5 gen 1");
	assert_string_equal(wrid_text(wrid_encode(&longest), text),
			    "b srq16383 #134217727 gen 4095");
	assert_string_equal(wrid_text(UINT64_MAX, text),
			    "0xffffffffffffffff (no id of ours)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_flips_refused),
		cmocka_unit_test(test_parts_refused),
		cmocka_unit_test(test_random_refused),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
