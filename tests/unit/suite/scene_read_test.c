// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A scene is told part by part; what is none is refused by its line. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/report/scene_read.h"

#define HEAD                                                               \
	"{\"event\":\"scene\",\"id\":\"rnr/x\",\"verdict\":\"fail\","      \
	"\"reason\":\"because\",\"diagnosis\":\"likely cause: one (id-a, " \
	"b); seen: this, that; next: do it; or else: two (id-c, d); "      \
	"seen: more\",\"notes\":[\"noted\"]}\n"
#define POST \
	"{\"record\":1,\"end\":\"a\",\"call\":\"post_send\",\"wr_id\":\"w1\"}\n"
#define POST_TOO \
	"{\"record\":2,\"end\":\"a\",\"call\":\"post_send\",\"wr_id\":\"w2\"}\n"
#define FAILED                                                 \
	"{\"record\":3,\"end\":\"a\",\"call\":\"completion\"," \
	"\"wr_id\":\"w1\",\"status\":\"RNR_RETRY_EXC_ERR\"}\n"

static int explain(const char *text, json_t **pairs, struct strbuf *error)
{
	*pairs = json_array();
	return scene_explain(text, strlen(text), *pairs, error);
}

/* The text of the @nth pair called @name; "": there is none. */
static const char *pair(const json_t *pairs, const char *name, unsigned nth)
{
	size_t i;
	json_t *one;

	json_array_foreach(
		(json_t *)pairs, i,
		one) if (!strcmp(json_string_value(json_array_get(one, 0)),
				 name) &&
			 !nth--) return json_string_value(json_array_get(one,
									 1));
	return "";
}

static void test_told(void **state)
{
	struct strbuf error = STRBUF_INIT;
	json_t *pairs;

	assert_int_equal(explain(HEAD POST POST_TOO FAILED, &pairs, &error), 0);
	assert_string_equal(pair(pairs, "case", 0), "rnr/x");
	assert_string_equal(pair(pairs, "likely cause", 0), "one (id-a, b)");
	assert_string_equal(pair(pairs, "  seen", 0), "this, that");
	assert_string_equal(pair(pairs, "  next", 0), "do it");
	assert_string_equal(pair(pairs, "or else", 0), "two (id-c, d)");
	assert_string_equal(pair(pairs, "  seen", 1), "more");
	assert_string_equal(pair(pairs, "first error of a", 0),
			    "w1 completed with RNR_RETRY_EXC_ERR (record 3)");
	assert_string_equal(pair(pairs, "waits at a", 0), "w2");
	assert_string_equal(pair(pairs, "first error of b", 0), "");
	assert_string_equal(pair(pairs, "note", 0), "noted");
	json_decref(pairs);
	strbuf_free(&error);
}

static void test_older(void **state)
{
	struct strbuf error = STRBUF_INIT;
	json_t *pairs;

	assert_int_equal(explain("{\"event\":\"scene\",\"id\":\"x/y\"}\n" POST
				 "{\"record\":4,\"en",
				 &pairs, &error),
			 0);
	assert_non_null(strstr(pair(pairs, "likely cause", 0), "none is kept"));
	assert_non_null(strstr(pair(pairs, "file", 0), "broken off"));
	json_decref(pairs);
	strbuf_free(&error);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "", "line 1: the file is empty" },
		{ "[]\n", "line 1: a JSON object is expected" },
		{ "{\"event\":\"note\"}\n", "line 1: the head of a scene" },
		{ "{\"event\":\"scene\"}\n", "line 1: a scene without the id" },
		{ HEAD POST "{}\n", "line 3: a record is expected" },
		{ HEAD "{\"record\":1\n" POST, "line 2: a JSON object" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strbuf error = STRBUF_INIT;
		json_t *pairs;

		assert_int_equal(explain(rows[i].text, &pairs, &error),
				 -EINVAL);
		assert_ptr_equal(strstr(strbuf_text(&error), rows[i].says),
				 strbuf_text(&error));
		json_decref(pairs);
		strbuf_free(&error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_older),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
