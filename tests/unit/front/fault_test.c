// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verbs about fault rules and the last packets; what rules do is for
 * link/faults_test, how packets are kept for recent_test. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "softrdma/softdv.h"

#include "front_fixture.h"

static void rules_are_added_listed_and_cleared(void **state)
{
	uint64_t fitted = 1, acted = 1;
	char text[64], cut[5];

	assert_int_equal(
		softdv_fault_add(*state, "drop:nth=3;delay:us=5", NULL), 0);
	assert_int_equal(softdv_fault_add(*state, "corrupt", NULL), 0);
	assert_int_equal(softdv_fault_hits(*state, 1, &fitted, &acted, text,
					   sizeof(text)),
			 0);
	assert_string_equal(text, "delay:us=5");
	assert_int_equal(fitted, 0);
	assert_int_equal(acted, 0);
	assert_int_equal(softdv_fault_hits(*state, 2, &fitted, &acted, cut,
					   sizeof(cut)),
			 0);
	assert_string_equal(cut, "corr");
	assert_refused(softdv_fault_hits(*state, 3, &fitted, &acted, NULL, 0),
		       ENOENT);
	assert_int_equal(softdv_fault_clear(*state), 0);
	assert_refused(softdv_fault_hits(*state, 0, &fitted, &acted, NULL, 0),
		       ENOENT);
}

static void bad_rules_are_refused_with_a_line(void **state)
{
	uint64_t fitted, acted;
	char *error;

	assert_refused(softdv_fault_add(*state, "drop;lose", &error), EINVAL);
	assert_string_equal(
		error,
		"action \"lose\" is not drop, duplicate, delay, reorder or corrupt");
	free(error);
	assert_refused(softdv_fault_add(*state, "lose", NULL), EINVAL);
	assert_refused(softdv_fault_add(*state, NULL, &error), EINVAL);
	assert_null(error);
	assert_refused(softdv_fault_hits(*state, 0, &fitted, &acted, NULL, 0),
		       ENOENT);
}

static void count_line(void *arg, uint64_t when_ns, const char *text)
{
	++*(unsigned *)arg;
}

static void packets_are_kept_when_asked_for(void **state)
{
	unsigned lines = 0;

	assert_int_equal(softdv_packets_show(*state, count_line, &lines), 0);
	assert_int_equal(softdv_packets_keep(*state, 8), 0);
	assert_int_equal(softdv_packets_show(*state, count_line, &lines), 0);
	assert_int_equal(lines, 0);
	assert_refused(softdv_packets_keep(*state, 1025), EINVAL);
	assert_refused(softdv_packets_show(*state, NULL, NULL), EINVAL);
	assert_int_equal(softdv_packets_keep(*state, 0), 0);
}

static void foreign_contexts_are_refused(void **state)
{
	struct ibv_context foreign = { 0 };
	uint64_t fitted, acted;
	char *error;

	assert_refused(softdv_fault_add(&foreign, "drop", &error), EINVAL);
	assert_null(error);
	assert_refused(softdv_fault_clear(NULL), EINVAL);
	assert_refused(softdv_packets_keep(&foreign, 1), EINVAL);
	assert_refused(softdv_packets_show(&foreign, count_line, NULL), EINVAL);
	assert_refused(softdv_fault_hits(&foreign, 0, &fitted, &acted, NULL, 0),
		       EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			rules_are_added_listed_and_cleared, front_setup,
			front_teardown),
		cmocka_unit_test_setup_teardown(
			bad_rules_are_refused_with_a_line, front_setup,
			front_teardown),
		cmocka_unit_test_setup_teardown(packets_are_kept_when_asked_for,
						front_setup, front_teardown),
		cmocka_unit_test_setup_teardown(foreign_contexts_are_refused,
						front_setup, front_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
