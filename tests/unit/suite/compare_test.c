// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two runs of the same are the same, in 19 of 20; what is worse is worse, and
 * where; files that are none say so. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/prng.h"
#include "suite/bench/compare.h"

enum { REPEATS = 5, NOISE_PARTS = 12 };

/* About normal, mean 0, deviation 1. */
static double noise(struct prng *p)
{
	double sum = 0;

	for (int i = 0; i < NOISE_PARTS; i++)
		sum += (double)prng_below(p, 1 << 20) / (1 << 20);
	return sum - NOISE_PARTS / 2.0;
}

/* A run as a bench leaves it: its figures waver by @part, its tails by more. */
static struct figures *run_make(struct prng *p, double part, double rate,
				double median, double tail)
{
	static const char *const sizes[] = { "64", "4096", "65536" };
	struct figures *f = figures_new();
	char name[64];

	snprintf(f->name, sizeof(f->name), "run");
	json_object_set_new(f->settings, "qps", json_integer(4));
	for (int r = 0; r < REPEATS; r++) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			snprintf(name, sizeof(name), "rate/%s", sizes[i]);
			figure_add(figures_get(f, name, "msg/s", true, false),
				   rate * (1 + part * noise(p)));
			snprintf(name, sizeof(name), "latency/%s/p50",
				 sizes[i]);
			figure_add(figures_get(f, name, "us", false, false),
				   median * (1 + part * noise(p)));
			snprintf(name, sizeof(name), "latency/%s/p99.5",
				 sizes[i]);
			figure_add(figures_get(f, name, "us", false, true),
				   tail * (1 + 2 * part * noise(p)));
			snprintf(name, sizeof(name), "latency/%s/max",
				 sizes[i]);
			figure_add(figures_get(f, name, "us", false, true),
				   tail * exp(2 * noise(p)));
		}
	}
	return f;
}

static const struct compare_limits limits = { .threshold = 0.1,
					      .tail_threshold = 0.25,
					      .alpha = 0.05 };

static enum compare_verdict judge(struct figures *a, struct figures *b,
				  struct compare_result *r)
{
	compare_figures(a, b, &limits, r);
	figures_free(a);
	figures_free(b);
	return r->verdict;
}

static void test_same(void **state)
{
	static struct compare_result r;
	struct prng p;

	/* From a quiet host to a busy one. */
	for (int busy = 1; busy <= 10; busy += 3) {
		unsigned same = 0;

		prng_seed(&p, (uint64_t)busy);
		for (int n = 0; n < 60; n++) {
			double part = 0.01 * busy;
			struct figures *a = run_make(&p, part, 1e5, 10, 40);
			struct figures *b = run_make(&p, part, 1e5, 10, 40);

			same += judge(a, b, &r) == COMPARE_SAME;
		}
		assert_in_range(same, 57, 60);
	}
}

static void test_worse_and_better(void **state)
{
	static struct compare_result r;
	struct prng p;

	prng_seed(&p, 9);
	for (int n = 0; n < 25; n++) {
		assert_int_equal(judge(run_make(&p, 0.02, 1e5, 10, 40),
				       run_make(&p, 0.02, 7e4, 10, 40), &r),
				 COMPARE_WORSE);
		assert_string_equal(compare_result_text(&r), "worse");
		assert_int_equal(judge(run_make(&p, 0.02, 1e5, 10, 40),
				       run_make(&p, 0.02, 1e5, 7, 40), &r),
				 COMPARE_BETTER);
	}
}

/* Messages of which one in a hundred takes 20 us longer: what p99.5 sees. */
static void test_worse_in_the_tail(void **state)
{
	static struct compare_result r;
	struct prng p;

	prng_seed(&p, 11);
	for (int n = 0; n < 25; n++) {
		assert_int_equal(judge(run_make(&p, 0.03, 1e5, 10, 30),
				       run_make(&p, 0.03, 1e5, 10, 50), &r),
				 COMPARE_WORSE);
		assert_true(r.tail_only);
		assert_string_equal(compare_result_text(&r),
				    "worse in the tail");
	}
}

/* On a busy host worse is unclear; what is the same stays so. */
static void test_disturbed(void **state)
{
	static struct compare_result r;
	struct figures *a, *b;
	struct prng p;

	prng_seed(&p, 13);
	for (int end = 0; end < 2; end++) {
		a = run_make(&p, 0.02, 1e5, 10, 40);
		b = run_make(&p, 0.02, 7e4, 10, 40);
		a->measured = b->measured = 30;
		(end ? a : b)->disturbed = 16;
		assert_int_equal(judge(a, b, &r), COMPARE_UNCLEAR);
		assert_true(r.disturbed);
		a = run_make(&p, 0.02, 1e5, 10, 40);
		b = run_make(&p, 0.02, 7e4, 10, 40);
		a->measured = b->measured = 30;
		(end ? a : b)->disturbed = 15;
		assert_int_equal(judge(a, b, &r), COMPARE_WORSE);
		assert_false(r.disturbed);
		a = run_make(&p, 0.01, 1e5, 10, 40);
		b = run_make(&p, 0.01, 1e5, 10, 40);
		a->measured = b->measured = 30;
		(end ? a : b)->disturbed = 30;
		assert_int_equal(judge(a, b, &r), COMPARE_SAME);
	}
}

static void test_settings(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct figures *a = figures_new(), *b = figures_new();

	json_object_set_new(a->settings, "qps", json_integer(4));
	json_object_set_new(b->settings, "qps", json_integer(5));
	json_object_set_new(b->settings, "mtu", json_integer(1024));
	assert_int_equal(compare_settings(a, b, &text), 2);
	assert_non_null(strstr(strbuf_text(&text), "qps: 4 and 5"));
	assert_non_null(strstr(strbuf_text(&text), "mtu: none and 1024"));
	assert_int_equal(compare_settings(a, a, &text), 0);
	figures_free(a);
	figures_free(b);
	strbuf_free(&text);
}

static void read_refused(const char *text, const char *word)
{
	json_t *json = json_loads(text, 0, NULL);
	struct strbuf error = STRBUF_INIT;
	struct figures *f;

	assert_non_null(json);
	assert_int_equal(figures_read(json, &f, &error), -EBADMSG);
	if (!strstr(strbuf_text(&error), word))
		fail_msg("\"%s\" does not say %s", strbuf_text(&error), word);
	json_decref(json);
	strbuf_free(&error);
}

static void test_read(void **state)
{
#define FIGURE "{\"name\":\"n\",\"unit\":\"u\",\"better\":\"more\",\"values\":"
#define FILE_OF(figures) \
	"{\"verbatim_bench\":1,\"settings\":{},\"figures\":[" figures "]}"
	read_refused("[1]", "no file of");
	read_refused("{\"verbatim_bench\":\"1\"}", "no file of");
	read_refused("{\"verbatim_bench\":99}", "version 99");
	read_refused("{\"verbatim_bench\":1}", "missing");
	read_refused(FILE_OF("{}"), "lacks name");
	read_refused(FILE_OF(FIGURE "[]}"), "0 values");
	read_refused(FILE_OF(FIGURE "[1,\"x\"]}"), "value 2 is no number");
	read_refused(FILE_OF(FIGURE "[1]}," FIGURE "[1]}"), "comes twice");
}

static void store_clean(const char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

static void test_store(void **state)
{
	char dir[] = "compare_test.XXXXXX";
	struct strbuf error = STRBUF_INIT;
	struct figures *f, *back, **list;
	struct prng p;
	uint32_t count;
	char *path;

	prng_seed(&p, 3);
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 4; i++) {
		f = run_make(&p, 0.1, 1e5 + i, 10, 40);
		assert_int_equal(figures_save(f, dir, &path, &error), 0);
		free(path);
		if (i < 3)
			figures_free(f);
	}
	assert_int_equal(figures_load(dir, "run", &back, &error), 0);
	assert_int_equal(back->count, f->count);
	for (uint32_t i = 0; i < f->count; i++)
		assert_true(fabs(figure_median(&back->list[i]) /
					 figure_median(&f->list[i]) -
				 1) < 1e-9);
	figures_free(back);
	assert_int_equal(
		figures_load_last(dir, "run", 3, &list, &count, &error), 0);
	assert_int_equal(count, 3);
	while (count > 0)
		figures_free(list[--count]);
	free(list);
	assert_int_equal(figures_load(dir, "other", &back, &error), -ENOENT);
	snprintf(f->name, sizeof(f->name), "../run");
	assert_int_equal(figures_save(f, dir, &path, &error), -EINVAL);
	figures_free(f);
	strbuf_free(&error);
	store_clean(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_worse_and_better),
		cmocka_unit_test(test_worse_in_the_tail),
		cmocka_unit_test(test_disturbed),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
