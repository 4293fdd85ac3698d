// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chains of atomics: any order of queues that explains them, and no other. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/oracle/chain.h"

static const char owners[3];

static void add(struct chain *c, unsigned owner, uint64_t old, uint64_t addend)
{
	const struct chain_step step = { .owner = &owners[owner],
					 .old = old,
					 .operand = addend };

	assert_int_equal(chain_add(c, &step), 0);
}

static void swap(struct chain *c, unsigned owner, uint64_t old,
		 uint64_t compare, uint64_t operand)
{
	const struct chain_step step = { .owner = &owners[owner],
					 .old = old,
					 .swap = true,
					 .compare = compare,
					 .operand = operand };

	assert_int_equal(chain_add(c, &step), 0);
}

static void settles(struct chain *c, uint64_t value)
{
	struct complaint why;
	uint64_t now;

	assert_int_equal(chain_settle(c, &now, &why), 0);
	assert_int_equal(now, value);
}

static void blames(struct chain *c, const char *text)
{
	struct complaint why;
	uint64_t now;

	assert_int_equal(chain_settle(c, &now, &why), -EBADMSG);
	assert_int_equal(why.finding, VB_FIND_WRONG_CONTENT);
	assert_non_null(strstr(why.text, text));
	chain_destroy(c);
}

static void interleaved_queues_are_one_chain(void **state)
{
	struct chain *c = chain_create(UINT64_MAX - 1);

	/* Told queue by queue, executed 1, 0, 1, 2, 0; the sum wraps. */
	add(c, 0, 1, 10);
	add(c, 0, 1111, 10000);
	add(c, 1, UINT64_MAX - 1, 3);
	add(c, 1, 11, 100);
	add(c, 2, 111, 1000);
	swap(c, 2, 11111, 1, 2);
	swap(c, 2, 11111, 11111, 2);
	settles(c, 2);
	/* And on from there. */
	add(c, 1, 2, 5);
	settles(c, 7);
	chain_destroy(c);
}

static void what_is_not_atomic_is_blamed(void **state)
{
	struct chain *c = chain_create(0);

	add(c, 0, 0, 1);
	add(c, 1, 0, 2);
	blames(c, "had got already");

	c = chain_create(0);
	add(c, 0, 0, 1);
	add(c, 0, 5, 2);
	blames(c, "the atomics before it left 0x1");

	/* The order of one queue is not free. */
	c = chain_create(0);
	add(c, 0, 1, 2);
	add(c, 0, 0, 1);
	blames(c, "left 0x0");

	/* A swap that was not to happen did. */
	c = chain_create(0);
	swap(c, 0, 0, 4, 9);
	add(c, 0, 9, 1);
	blames(c, "left 0x0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interleaved_queues_are_one_chain),
		cmocka_unit_test(what_is_not_atomic_is_blamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
