// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Texts in every format, and the reporters on a stream made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "suite/report/reporter.h"
#include "suite/report/stream.h"
#include "suite/report/text.h"

static void assert_text(void (*add)(struct strbuf *, const char *),
			const char *in, const char *expected)
{
	struct strbuf out = STRBUF_INIT;

	add(&out, in);
	assert_string_equal(strbuf_text(&out), expected);
	strbuf_free(&out);
}

static void test_clean(void **state)
{
	assert_text(text_add_clean, "plain\tand\n", "plain\tand\n");
	assert_text(text_add_clean,
		    "a\x01"
		    "b\x7f",
		    "a?b?");
	assert_text(text_add_clean, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7",
		    "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7");
	/* Cut, overlong, surrogate, beyond Unicode, stray, no character. */
	assert_text(text_add_clean, "\xc3", "?");
	assert_text(text_add_clean, "\xe2\x82", "??");
	assert_text(text_add_clean, "\xc0\xaf", "??");
	assert_text(text_add_clean, "\xe0\x80\xaf", "???");
	assert_text(text_add_clean, "\xed\xa0\x80", "???");
	assert_text(text_add_clean, "\xf4\x90\x80\x80", "????");
	assert_text(text_add_clean, "\x80x", "?x");
	assert_text(text_add_clean, "\xef\xbf\xbf", "???");
}

static void test_escapes(void **state)
{
	assert_text(text_add_xml, "<a b=\"c\">&\n\t\x02",
		    "&lt;a b=&quot;c&quot;&gt;&amp;&#10;&#9;?");
	assert_text(text_add_tap, "a # b \\ c\nd", "a \\# b \\\\ c d");
	assert_text(text_add_yaml, "a \"b\" \\ \n\t",
		    "\"a \\\"b\\\" \\\\ \\n\\t\"");
}

/* The output of @type for the events, which are given as JSON texts. */
static char *report(const struct reporter_type *type, int *status,
		    const char *const *events)
{
	struct stream s = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	stream_add_reporter(&s, reporter_open(type, out, true, NULL));
	for (; *events; events++) {
		json_t *event = json_loads(*events, 0, NULL);

		assert_non_null(event);
		stream_emit(&s, event);
	}
	*status = stream_exit_status(&s.tally);
	stream_close(&s);
	return text;
}

static const char *const events[] = {
	"{\"event\":\"run_start\",\"version\":\"1\",\"time\":\"T\","
	"\"device\":null,\"seed\":7,\"options\":{\"qps\":\"2\"},"
	"\"selected\":3}",
	"{\"event\":\"case_start\",\"id\":\"a/b\",\"number\":1}",
	"{\"event\":\"case_end\",\"id\":\"a/b\",\"verdict\":\"pass\","
	"\"reason\":null,\"duration_ms\":12,\"checks\":3,\"seed\":1}",
	"{\"event\":\"case_end\",\"id\":\"a/c\",\"verdict\":\"deviation\","
	"\"reason\":\"r\",\"finding\":\"lost\",\"duration_ms\":0,"
	"\"deviation\":{\"reason\":\"known\",\"source\":\"s\"}}",
	"{\"event\":\"case_end\",\"id\":\"a/d\",\"verdict\":\"broken\","
	"\"reason\":\"<&>\",\"duration_ms\":1}",
	"{\"event\":\"run_end\",\"pass\":1,\"fail\":0,\"skip\":0,"
	"\"broken\":1,\"deviation\":1,\"duration_ms\":1500,"
	"\"interrupted\":null,\"stale\":[]}",
	NULL,
};

static void test_human(void **state)
{
	int status;
	char *text = report(&reporter_human, &status, events);

	assert_string_equal(text, "verbatim 1: no device, seed 7\n"
				  "options: --qps 2\n"
				  "pass          12 ms  a/b\n"
				  "deviation      0 ms  a/c: known: lost: r\n"
				  "broken         1 ms  a/d: <&>\n"
				  "1 passed, 0 failed, 0 skipped, 1 broken, 1 "
				  "deviations in 1.5 s\n");
	assert_int_equal(status, 1);
	free(text);
}

static void test_tap(void **state)
{
	int status;
	char *text = report(&reporter_tap, &status, events);

	assert_non_null(strstr(text, "TAP version 14\n1..3\nok 1 - a/b\n"
				     "not ok 2 - a/c # TODO known\n  ---\n"));
	assert_non_null(strstr(text, "not ok 3 - a/d\n  ---\n"
				     "  verdict: \"broken\"\n"));
	assert_null(strstr(text, "Bail out"));
	free(text);
}

static void test_junit(void **state)
{
	int status;
	char *text = report(&reporter_junit, &status, events);

	assert_non_null(strstr(text, "tests=\"3\" failures=\"0\" errors=\"1\" "
				     "skipped=\"1\" time=\"1.500\""));
	assert_non_null(strstr(text, "<error message=\"&lt;&amp;&gt;\""));
	assert_non_null(strstr(text, "name=\"b\" time=\"0.012\"/>"));
	free(text);
}

static void test_jsonl(void **state)
{
	int status, lines = 0;
	char *text = report(&reporter_jsonl, &status, events);

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *a = json_loads(line, 0, NULL);
		json_t *b = json_loads(events[lines++], 0, NULL);

		assert_true(json_equal(a, b));
		json_decref(a);
		json_decref(b);
	}
	assert_int_equal(lines, 6);
	free(text);
}

static void test_tally(void **state)
{
	static const char *const fine[] = {
		"{\"event\":\"case_end\",\"verdict\":\"pass\"}",
		"{\"event\":\"case_end\",\"verdict\":\"skip\"}",
		"{\"event\":\"case_end\",\"verdict\":\"deviation\"}",
		NULL,
	};
	static const char *const failed[] = {
		"{\"event\":\"case_end\",\"verdict\":\"fail\"}",
		NULL,
	};
	int status;

	free(report(&reporter_jsonl, &status, fine));
	assert_int_equal(status, 0);
	free(report(&reporter_jsonl, &status, failed));
	assert_int_equal(status, 1);
	assert_int_equal(stream_verdict("broken"), VB_BROKEN);
	assert_int_equal(stream_verdict("none"), VB_NONE);
	assert_int_equal(stream_verdict("nonsense"), VB_NONE);
}

static int replay(const char *text, char *open, unsigned *line, uint64_t *kept)
{
	char path[] = "/tmp/events-XXXXXX";
	int fd = mkstemp(path), err;
	struct stream s = { 0 };

	assert_true(fd >= 0);
	dprintf(fd, "%s", text);
	err = stream_replay(&s, path, open, 64, line, kept);
	close(fd);
	unlink(path);
	return err;
}

static void test_replay(void **state)
{
	const char *begun = "{\"event\":\"case_start\",\"id\":\"a/b\"}\n";
	struct strbuf text = STRBUF_INIT;
	char open[64];
	unsigned line;
	uint64_t kept;

	assert_int_equal(replay(begun, open, &line, &kept), 0);
	assert_string_equal(open, "a/b");
	strbuf_addf(&text, "%s{\"event\":\"case_end\",\"id\":\"a/b\"}\n",
		    begun);
	assert_int_equal(replay(strbuf_text(&text), open, &line, &kept), 0);
	assert_string_equal(open, "");
	assert_int_equal(kept, text.len);
	/* A line cut by a death is left out; one that is none is an error. */
	strbuf_add(&text, "{\"event\":\"ca");
	assert_int_equal(replay(strbuf_text(&text), open, &line, &kept), 0);
	assert_int_equal(kept, text.len - strlen("{\"event\":\"ca"));
	strbuf_add(&text, "\n");
	assert_int_not_equal(replay(strbuf_text(&text), open, &line, &kept), 0);
	assert_int_equal(line, 3);
	assert_int_not_equal(replay("[]\n", open, &line, &kept), 0);
	strbuf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean), cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_human), cmocka_unit_test(test_tap),
		cmocka_unit_test(test_junit), cmocka_unit_test(test_jsonl),
		cmocka_unit_test(test_tally), cmocka_unit_test(test_replay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
