// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options: defaults, every way in, every way to be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/cli/options.h"

static int set(struct vb_options *o, const char *name, const char *text,
	       struct strbuf *error)
{
	strbuf_reset(error);
	return options_set(o, options_find(name), text, name, error);
}

static void test_defaults(void **state)
{
	struct vb_options o;
	json_t *given;

	options_default(&o);
	assert_null(o.device);
	assert_int_equal(o.inflight, 32);
	assert_int_equal(o.batch, 16);
	assert_int_equal(o.size.kind, VB_SIZES_RANDOM);
	assert_string_equal(o.cq_mode, "poll");
	assert_string_equal(o.gid_index, "auto");
	assert_true(o.patience == 1.0);
	given = options_given(&o);
	assert_int_equal(json_object_size(given), 0);
	json_decref(given);
}

static void test_bounds(void **state)
{
	struct strbuf error = STRBUF_INIT;
	struct vb_options o;

	options_default(&o);
	/* Each number is taken at its limits and refused beyond them. */
	for (size_t i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		char text[32];

		if (row->kind != OPTION_UINT)
			continue;
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)row->min);
		assert_int_equal(set(&o, row->name, text, &error), 0);
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)row->max);
		assert_int_equal(set(&o, row->name, text, &error), 0);
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)row->max + 1);
		assert_int_not_equal(set(&o, row->name, text, &error), 0);
		assert_non_null(strstr(strbuf_text(&error), text));
		assert_non_null(strstr(strbuf_text(&error), row->name));
		if (!row->min)
			continue;
		snprintf(text, sizeof(text), "%llu",
			 (unsigned long long)row->min - 1);
		assert_int_not_equal(set(&o, row->name, text, &error), 0);
	}
	strbuf_free(&error);
}

static void test_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "inflight", "" },
		{ "inflight", " 1" },
		{ "inflight", "+1" },
		{ "inflight", "1x" },
		{ "inflight", "-1" },
		{ "inflight", "1e2" },
		{ "patience", "" },
		{ "patience", "x" },
		{ "patience", "inf" },
		{ "patience", "1 " },
		{ "cq-mode", "" },
		{ "cq-mode", "pol" },
		{ "cq-mode", "poll|event" },
		{ "device", "" },
		{ "verbose", "yes" },
		{ "size", "" },
		{ "size", "," },
		{ "size", "1," },
		{ "size", "1-" },
		{ "size", "1-2-3" },
		{ "size", "1,2-3" },
		{ "size", "2-1" },
		{ "size", "4096M" },
		{ "size", "1G" },
		{ "size", "99999999999999999999" },
		{ "size", "Random" },
		{ "size", "-1" },
		{ "size", "1 2" },
	};
	struct strbuf error = STRBUF_INIT;
	struct vb_options before, o;

	options_default(&before);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		o = before;
		assert_int_not_equal(set(&o, bad[i][0], bad[i][1], &error), 0);
		assert_true(error.len > 0);
		assert_null(strchr(strbuf_text(&error), '\n'));
		/* Outputs only on success. */
		assert_memory_equal(&o, &before, sizeof(o));
	}
	strbuf_free(&error);
}

static void test_sizes(void **state)
{
	static const struct {
		const char *text, *back;
		int kind;
		uint32_t count, last;
	} good[] = {
		{ "0", "0", VB_SIZES_LIST, 1, 0 },
		{ "64", "64", VB_SIZES_LIST, 1, 64 },
		{ "1,2,4K", "1,2,4096", VB_SIZES_LIST, 3, 4096 },
		{ "1-1M", "1-1048576", VB_SIZES_RANGE, 2, 1048576 },
		{ "2048M", "2147483648", VB_SIZES_LIST, 1, 2147483648u },
		{ "random", "random", VB_SIZES_RANDOM, 0, 0 },
	};
	struct strbuf error = STRBUF_INIT, text = STRBUF_INIT;
	struct vb_options o;

	options_default(&o);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(set(&o, "size", good[i].text, &error), 0);
		assert_int_equal(o.size.kind, good[i].kind);
		assert_int_equal(o.size.count, good[i].count);
		if (good[i].count)
			assert_int_equal(o.size.bytes[good[i].count - 1],
					 good[i].last);
		strbuf_reset(&text);
		options_text(&o, options_find("size"), &text);
		assert_string_equal(strbuf_text(&text), good[i].back);
	}
	strbuf_reset(&text);
	for (int i = 0; i < 64; i++)
		strbuf_addf(&text, "%s%d", i ? "," : "", i);
	assert_int_equal(set(&o, "size", strbuf_text(&text), &error), 0);
	strbuf_add(&text, ",64");
	assert_int_not_equal(set(&o, "size", strbuf_text(&text), &error), 0);
	strbuf_free(&text);
	strbuf_free(&error);
}

static int parse(struct vb_options *o, unsigned command, int *first,
		 struct strbuf *error, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	strbuf_reset(error);
	options_default(o);
	return options_from_arguments(o, command, argc, argv, first, error);
}

#define ARGS(...) ((char *[]){ "run", __VA_ARGS__, NULL })

static void test_arguments(void **state)
{
	struct strbuf error = STRBUF_INIT;
	char **operands = ARGS("rnr", "-d", "soft0", "--retry=3", "-v", "cq");
	char **foreign = ARGS("ls", "-d", "x");
	struct vb_options o;
	int first;

	assert_int_equal(parse(&o, VB_CMD_RUN, &first, &error, operands), 0);
	assert_string_equal(o.device, "soft0");
	assert_int_equal(o.retry, 3);
	assert_true(o.verbose);
	assert_string_equal(operands[first], "rnr");
	assert_string_equal(operands[first + 1], "cq");

	/* What follows exec's program is that program's. */
	assert_int_equal(parse(&o, VB_CMD_EXEC, &first, &error, foreign), 0);
	assert_int_equal(first, 1);

	assert_int_not_equal(parse(&o, VB_CMD_RUN, &first, &error,
				   ARGS("--inflght", "3")),
			     0);
	assert_non_null(strstr(strbuf_text(&error), "'inflight'"));
	assert_int_not_equal(
		parse(&o, VB_CMD_LIST, &first, &error, ARGS("-d", "soft0")), 0);
	assert_int_not_equal(parse(&o, VB_CMD_RUN, &first, &error, ARGS("-d")),
			     0);
	assert_non_null(strstr(strbuf_text(&error), "missing"));
	assert_int_not_equal(
		parse(&o, VB_CMD_RUN, &first, &error, ARGS("--verbose=1")), 0);
	strbuf_free(&error);
}

static void test_environment(void **state)
{
	struct strbuf error = STRBUF_INIT;
	struct vb_options o;

	options_default(&o);
	setenv("VERBATIM_RNR_RETRY", "3", 1);
	setenv("VERBATIM_QPS", "", 1);
	assert_int_equal(options_from_environment(&o, VB_CMD_RUN, &error), 0);
	assert_int_equal(o.rnr_retry, 3);
	assert_int_equal(o.qps, 4);
	setenv("VERBATIM_RNR_RETRY", "9", 1);
	/* A command that does not take it does not mind it. */
	assert_int_equal(options_from_environment(&o, VB_CMD_LIST, &error), 0);
	assert_int_not_equal(options_from_environment(&o, VB_CMD_RUN, &error),
			     0);
	assert_non_null(strstr(strbuf_text(&error), "VERBATIM_RNR_RETRY '9'"));
	unsetenv("VERBATIM_RNR_RETRY");
	unsetenv("VERBATIM_QPS");
	strbuf_free(&error);
}

static void test_given(void **state)
{
	struct strbuf error = STRBUF_INIT;
	struct vb_options o, again;
	const char *name;
	json_t *given, *value;
	int first;

	assert_int_equal(parse(&o, VB_CMD_RUN, &first, &error,
			       ARGS("--size", "1-4K", "--patience", "2.5",
				    "--seed", "9", "-q", "-o", "x", "--cq-mode",
				    "event")),
			 0);
	given = options_given(&o);
	/* Neither -q nor -o: they change nothing in what a run does. */
	assert_int_equal(json_object_size(given), 4);
	options_default(&again);
	json_object_foreach(given, name, value) assert_int_equal(
		set(&again, name, json_string_value(value), &error), 0);
	assert_int_equal(again.size.kind, VB_SIZES_RANGE);
	assert_int_equal(again.size.bytes[1], 4096);
	assert_int_equal(again.seed, 9);
	assert_true(again.patience == 2.5);
	assert_string_equal(again.cq_mode, "event");
	json_decref(given);
	strbuf_free(&error);
}

static void test_check(void **state)
{
	struct strbuf error = STRBUF_INIT;
	struct vb_options o;

	for (uint64_t mtu = 0; mtu <= 4096; mtu++) {
		options_default(&o);
		o.mtu = mtu;
		assert_int_equal(options_check(&o, &error) == 0,
				 mtu == 0 || mtu == 256 || mtu == 512 ||
					 mtu == 1024 || mtu == 2048 ||
					 mtu == 4096);
	}
	options_default(&o);
	o.gid_index = "1x";
	assert_int_not_equal(options_check(&o, &error), 0);
	o.gid_index = "12";
	assert_int_equal(options_check(&o, &error), 0);
	strbuf_free(&error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_given),
		cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
