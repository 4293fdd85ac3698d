// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Registry, selectors and near words, over a handful of cases of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verbatim/case.h>

#include "base/strbuf.h"
#include "suite/runner/nearest.h"
#include "suite/runner/registry.h"
#include "suite/runner/select.h"

static void run(struct vb_test *t)
{
}

/* Not in the order of their ids. */
VB_CASE(c, .id = "rnr/late", .title = "c", .limit_ms = 1, .run = run,
	.dimension = VB_FAULT);
VB_CASE(a, .id = "cq/empty", .title = "a", .limit_ms = 1, .run = run);
VB_CASE(d, .id = "rnr/never", .title = "d", .limit_ms = 1, .run = run);
VB_CASE(b, .id = "cqx/other", .title = "b", .limit_ms = 1, .run = run,
	.dimension = VB_SOAK);

static void assert_selects(const char *selector, const char *expected)
{
	struct strbuf ids = STRBUF_INIT;
	struct selection s;
	char *error = NULL;

	assert_int_equal(select_cases(&selector, 1, &s, &error), 0);
	for (size_t i = 0; i < s.count; i++)
		strbuf_addf(&ids, "%s%s", i ? " " : "", s.cases[i]->id);
	assert_string_equal(strbuf_text(&ids), expected);
	strbuf_free(&ids);
	select_free(&s);
}

static void test_registry(void **state)
{
	assert_int_equal(registry_count(), 4);
	assert_string_equal(registry_at(0)->id, "cq/empty");
	assert_string_equal(registry_at(3)->id, "rnr/never");
	assert_non_null(registry_find("cqx/other"));
	assert_null(registry_find("cqx"));
	assert_null(registry_fault());
}

static void test_selectors(void **state)
{
	assert_selects("rnr/late", "rnr/late");
	assert_selects("cq", "cq/empty");
	assert_selects("rnr", "rnr/late rnr/never");
	assert_selects("cq*", "cq/empty cqx/other");
	assert_selects("*/?e*", "rnr/never");
	assert_selects("fault", "rnr/late");
	assert_selects("normal", "cq/empty rnr/never");
	assert_selects("soak", "cqx/other");
	assert_selects("all", "cq/empty cqx/other rnr/late rnr/never");
}

static void test_several(void **state)
{
	const char *const two[] = { "rnr", "fault", "cq/empty" };
	struct selection s;
	char *error = NULL;

	/* In the order of the ids, each once. */
	assert_int_equal(select_cases(two, 3, &s, &error), 0);
	assert_int_equal(s.count, 3);
	assert_string_equal(s.cases[0]->id, "cq/empty");
	select_free(&s);
	assert_int_equal(select_cases(NULL, 0, &s, &error), 0);
	assert_int_equal(s.count, 4);
	select_drop(&s, VB_SOAK);
	assert_int_equal(s.count, 3);
	assert_string_equal(s.cases[1]->id, "rnr/late");
	select_free(&s);
}

static void assert_error(const char *selector, const char *names)
{
	struct selection s;
	char *error = NULL;

	assert_int_not_equal(select_cases(&selector, 1, &s, &error), 0);
	assert_non_null(strstr(error, selector));
	assert_non_null(strstr(error, names));
	free(error);
}

static void test_errors(void **state)
{
	assert_error("rnr/lat", "'rnr/late'");
	assert_error("nrr", "'rnr'");
	assert_error("falt", "'fault'");
	assert_error("never", "'rnr/never'");
	assert_error("something-else", "verbatim list");
	assert_error("", "verbatim list");
}

static void test_distance(void **state)
{
	assert_int_equal(nearest_distance("", ""), 0);
	assert_int_equal(nearest_distance("", "abc"), 3);
	assert_int_equal(nearest_distance("seed", "sede"), 1);
	assert_int_equal(nearest_distance("seed", "speed"), 1);
	assert_int_equal(nearest_distance("seed", "sed"), 1);
	assert_int_equal(nearest_distance("seed", "seen"), 1);
	assert_int_equal(nearest_distance("kitten", "sitting"), 3);
}

static void test_nearest(void **state)
{
	const char *const words[] = { "run", "list", "replay", "devices" };
	struct strbuf out = STRBUF_INIT;

	assert_int_equal(nearest_list("rum", words, 4, 2, &out), 1);
	assert_string_equal(strbuf_text(&out), "'run'");
	strbuf_reset(&out);
	assert_int_equal(nearest_list("zzz", words, 4, 2, &out), 0);
	assert_string_equal(strbuf_text(&out), "");
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registry),
		cmocka_unit_test(test_selectors),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
