// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages that may be lost: who may still come, and who has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "suite/oracle/lossy.h"

static void send(struct lossy *l, uint32_t to)
{
	struct pairing_message m = { .len = 10 };

	lossy_sent(l, &m, to);
}

static uint64_t first(struct lossy *l, uint32_t to, uint64_t from, bool taken)
{
	struct pairing_message m;

	return lossy_candidate(l, to, from, taken, &m) ? m.number : UINT64_MAX;
}

static void datagrams_overtake_but_come_once(void **state)
{
	struct lossy *l = lossy_create(IBV_QPT_UD, 8);

	for (unsigned i = 0; i < 6; i++)
		send(l, i % 2);
	assert_int_equal(first(l, 0, 0, false), 0);
	assert_int_equal(first(l, 1, 0, false), 1);
	assert_int_equal(first(l, 7, 0, false), UINT64_MAX);
	lossy_take(l, 4);
	assert_int_equal(first(l, 0, 0, false), 0);
	assert_int_equal(first(l, 0, 3, false), UINT64_MAX);
	assert_int_equal(first(l, 0, 0, true), 4);
	lossy_take(l, 0);
	assert_int_equal(first(l, 0, 0, false), 2);
	assert_true(lossy_taken(l, 0));
	assert_false(lossy_taken(l, 1));
	assert_int_equal(lossy_missing(l), 4);
	lossy_refused(l, 5);
	assert_int_equal(lossy_next(l), 5);
	assert_int_equal(lossy_missing(l), 3);
	/* The oldest are forgotten, not mixed up. */
	for (unsigned i = 0; i < 8; i++)
		send(l, 3);
	assert_int_equal(first(l, 1, 0, false), UINT64_MAX);
	assert_int_equal(first(l, 3, 0, false), 5);
	assert_false(lossy_taken(l, 0));
	lossy_destroy(l);
}

static void a_connection_keeps_its_order(void **state)
{
	struct lossy *l = lossy_create(IBV_QPT_UC, 8);

	for (unsigned i = 0; i < 5; i++)
		send(l, 9);
	lossy_take(l, 2);
	assert_int_equal(first(l, 9, 0, false), 3);
	assert_int_equal(first(l, 9, 0, true), 2);
	assert_int_equal(lossy_missing(l), 4);
	lossy_reset(l);
	assert_int_equal(lossy_missing(l), 0);
	assert_int_equal(first(l, 9, 0, false), UINT64_MAX);
	lossy_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(datagrams_overtake_but_come_once),
		cmocka_unit_test(a_connection_keeps_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
