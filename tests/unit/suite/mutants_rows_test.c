// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What follows from the row of a mutant, and from the verdicts of a hunt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "suite/mutants/mutants.h"

static const struct softdv_mutant row = {
	.id = "X01",
	.name = "an-example",
	.rule = "RNR-07",
	.cases = "rnr/one,rnr/two-more",
	.finding = "wrong-status:RETRY",
};

static void test_names(void **state)
{
	const struct softdv_mutant none = { .cases = "" };

	assert_true(rows_name(&row, "rnr/one"));
	assert_true(rows_name(&row, "rnr/two-more"));
	/* Not a part of a word, nor two words. */
	assert_false(rows_name(&row, "rnr/two"));
	assert_false(rows_name(&row, "one"));
	assert_false(rows_name(&row, "rnr/one,rnr/two-more"));
	assert_false(rows_name(&row, ""));
	assert_false(rows_name(&none, "rnr/one"));
}

static void test_foretells(void **state)
{
	const struct softdv_mutant bare = { .finding = "lost" };
	const struct softdv_mutant either = { .finding = "lost|early:RETRY" };

	assert_true(rows_foretell(&row, "wrong-status", "it is RETRY, not 0"));
	assert_false(rows_foretell(&row, "wrong-status", "it is SUCCESS"));
	assert_false(rows_foretell(&row, "lost", "RETRY"));
	assert_false(rows_foretell(&row, "wrong", "RETRY"));
	assert_true(rows_foretell(&bare, "lost", ""));
	assert_false(rows_foretell(&bare, "los", ""));
	assert_false(rows_foretell(&bare, "lost-too", ""));
	assert_true(rows_foretell(&either, "lost", ""));
	assert_true(rows_foretell(&either, "early", "at RETRY"));
	assert_false(rows_foretell(&either, "early", "at RETR"));
	assert_false(rows_foretell(&either, "lost|early", "RETRY"));
}

static void test_concerns(void **state)
{
	const struct vb_case named = { .id = "rnr/one" };
	const struct vb_case kills = { .id = "a/b",
				       .kills = VB_LIST("X02", "X01") };
	const struct vb_case rule = { .id = "a/c", .rules = VB_LIST("RNR-07") };
	const struct vb_case other = { .id = "a/d",
				       .rules = VB_LIST("RNR-08"),
				       .kills = VB_LIST("X02") };

	assert_true(rows_expect(&row, &named));
	assert_true(rows_expect(&row, &kills));
	assert_false(rows_expect(&row, &rule));
	assert_true(rows_concern(&row, &rule));
	assert_false(rows_concern(&row, &other));
	assert_int_equal(rows_group_len(&row), 3);
}

/* Without the device in this process there is nothing to choose from. */
static void test_no_device(void **state)
{
	struct rows rows;
	char *error = NULL;

	assert_int_equal(rows_select(NULL, 0, &rows, &error), -ENOTSUP);
	assert_non_null(error);
	free(error);
	rows_free(&rows);
}

static void test_verdicts(void **state)
{
	for (unsigned v = 0; v < MUTANTS_VERDICTS; v++) {
		const char *word =
			mutants_verdict_word((enum mutants_verdict)v);
		json_t *result = json_pack("{s:s}", "verdict", word);

		assert_int_equal(mutants_verdict_of(result), v);
		json_decref(result);
	}
	assert_int_equal(mutants_verdict_of(NULL), MUTANTS_VERDICTS);
	assert_string_equal(mutants_text(NULL, "case"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_foretells),
		cmocka_unit_test(test_concerns),
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
