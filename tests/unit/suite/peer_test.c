// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses, the two clocks, and records of both hosts in one line of time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/peer/address.h"
#include "suite/peer/records.h"

static void address_is(const char *text, enum address_kind kind,
		       const char *host, const char *port)
{
	struct strbuf error = STRBUF_INIT;
	struct address a;

	assert_int_equal(address_parse(text, "--peer", &a, &error), 0);
	assert_int_equal(a.kind, kind);
	assert_string_equal(a.host, host);
	assert_string_equal(a.port, port);
}

static void addresses(void **state)
{
	static const char *const wrong[] = { "",      "host",	":1",
					     "host:", "host:x", "1::2:3",
					     "ssh:",  "ssh:-o", "@" };
	size_t i;

	address_is("host:1", ADDRESS_TCP, "host", "1");
	address_is("[::1]:7471", ADDRESS_TCP, "::1", "7471");
	address_is("ssh:me@host", ADDRESS_SSH, "me@host", "");
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct strbuf error = STRBUF_INIT;
		struct address a;

		assert_int_equal(address_parse(wrong[i], "--peer", &a, &error),
				 -EINVAL);
		assert_non_null(strstr(strbuf_text(&error), "--peer '"));
		strbuf_free(&error);
	}
}

static void a_clock_that_drifts(void **state)
{
	const struct records_clock clock = { .offset_ns = -5000000000,
					     .at_ns = 7000000000,
					     .drift = 1e-4 };

	assert_true(records_here(&clock, 2000000000) == 7000000000);
	/* A second later the other clock is 100 us ahead of where it was. */
	assert_true(records_here(&clock, 3000000000) == 7999900000);
	assert_true(records_here(&clock, 1000000000) == 6000100000);
}

struct seen {
	char text[8];
	size_t count;
};

static int seen_visit(void *arg, const struct recorder_record *record)
{
	struct seen *s = arg;

	s->text[s->count++] = record->end ? 'b' : 'a';
	return 0;
}

static void records_of_both_in_order(void **state)
{
	const struct records_clock clock = { .offset_ns = 1000 };
	struct recorder_record theirs[] = {
		{ .when_ns = 1010, .end = 1, .call = RECORDER_NOTE },
		{ .when_ns = 1030, .end = 1, .call = RECORDER_NOTE },
	};
	const struct records others = { .all = theirs, .count = 2 };
	struct recorder_record mine = { .when_ns = 20, .call = RECORDER_NOTE };
	size_t bytes = recorder_bytes(4);
	void *area = aligned_alloc(64, bytes), *memory = NULL;
	struct recorder *own = recorder_init(area, bytes);
	const struct recorder *both;
	struct seen seen = { .count = 0 };

	assert_non_null(own);
	recorder_write(own, &mine);
	mine.when_ns = 40;
	recorder_write(own, &mine);
	both = records_merge(own, &others, &clock, &memory);
	assert_non_null(both);
	recorder_walk(both, seen_visit, &seen);
	assert_string_equal(seen.text, "baba");
	free(memory);
	free(area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(a_clock_that_drifts),
		cmocka_unit_test(records_of_both_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
