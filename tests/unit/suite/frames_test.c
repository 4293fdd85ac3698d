// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames: whole, in pieces, oversized, truncated, rubbish. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/control/frames.h"

static void frame_of(const char *text, struct strbuf *out)
{
	size_t len = strlen(text);
	unsigned char head[4] = { (unsigned char)(len >> 24),
				  (unsigned char)(len >> 16),
				  (unsigned char)(len >> 8),
				  (unsigned char)len };

	strbuf_reset(out);
	strbuf_add_bytes(out, head, 4);
	strbuf_add(out, text);
}

static void whole_and_in_pieces(void **state)
{
	struct strbuf bytes = STRBUF_INIT, error = STRBUF_INIT;
	json_t *sent = frame_make("hello"), *got;
	size_t used, cut;

	json_object_set_new(sent, "n", json_integer(41));
	assert_int_equal(frame_encode(sent, &bytes, &error), 0);
	for (cut = 0; cut < bytes.len; cut++)
		assert_int_equal(frame_parse(bytes.text, cut, &used, &got,
					     &error),
				 -EAGAIN);
	strbuf_add(&bytes, "next");
	assert_int_equal(
		frame_parse(bytes.text, bytes.len, &used, &got, &error), 0);
	assert_int_equal(used, bytes.len - 4);
	assert_true(json_equal(sent, got));
	assert_string_equal(frame_type(got), "hello");
	assert_int_equal(error.len, 0);
	json_decref(sent);
	json_decref(got);
	strbuf_free(&bytes);
	strbuf_free(&error);
}

/* The length alone condemns it: nobody waits for its bytes. */
static void lengths_out_of_bounds(void **state)
{
	static const unsigned char lengths[][4] = {
		{ 0, 0, 0, 0 }, { 0, 1, 0, 1 }, { 0xff, 0xff, 0xff, 0xff }
	};
	size_t i, used;

	for (i = 0; i < 3; i++) {
		struct strbuf error = STRBUF_INIT;
		json_t *got;

		assert_int_equal(frame_parse(lengths[i], 4, &used, &got,
					     &error),
				 -EBADMSG);
		assert_non_null(strstr(error.text, "allowed are 1 to 65536"));
		strbuf_free(&error);
	}
}

static void rubbish_is_refused_with_reason(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "GET / HTTP/1.1", "not JSON" },
		{ "{\"verbatim\":1,\"type\":\"x\"", "not JSON" },
		{ "{\"verbatim\":1,\"type\":\"x\"}}", "not JSON" },
		{ "[1]", "not a JSON object" },
		{ "{\"type\":\"x\"}", "no verbatim" },
		{ "{\"verbatim\":\"1\",\"type\":\"x\"}", "no verbatim" },
		{ "{\"verbatim\":2,\"type\":\"x\"}", "version 2" },
		{ "{\"verbatim\":1}", "without a \"type\"" },
		{ "{\"verbatim\":1,\"type\":\"\"}", "without a \"type\"" },
		{ "{\"verbatim\":1,\"verbatim\":1,\"type\":\"x\"}",
		  "not JSON" },
		{ "{\"verbatim\":1,\"type\":\"x\",\"a\":"
		  "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}",
		  "nested deeper" },
	};
	struct strbuf bytes = STRBUF_INIT;
	size_t i, used;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct strbuf error = STRBUF_INIT;
		json_t *got;

		frame_of(bad[i].text, &bytes);
		assert_int_equal(frame_parse(bytes.text, bytes.len, &used, &got,
					     &error),
				 -EBADMSG);
		assert_non_null(strstr(strbuf_text(&error), bad[i].says));
		strbuf_free(&error);
	}
	strbuf_free(&bytes);
}

static void too_long_to_send(void **state)
{
	struct strbuf bytes = STRBUF_INIT, error = STRBUF_INIT;
	json_t *big = frame_make("hello");
	static char text[FRAME_LEN_MAX + 1];

	memset(text, 'x', sizeof(text) - 1);
	json_object_set_new(big, "text", json_string(text));
	assert_int_equal(frame_encode(big, &bytes, &error), -EMSGSIZE);
	assert_int_equal(bytes.len, 0);
	assert_non_null(strstr(error.text, "allowed"));
	json_decref(big);
	strbuf_free(&bytes);
	strbuf_free(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_in_pieces),
		cmocka_unit_test(lengths_out_of_bounds),
		cmocka_unit_test(rubbish_is_refused_with_reason),
		cmocka_unit_test(too_long_to_send),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
