// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each drift is found and named; noise, steps and outliers are none. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/drift.h"

enum { SAMPLES = 120 };

struct run {
	struct drift_sample s[20 * SAMPLES];
	size_t count;
	struct drift_limits limits;
	struct drift_complaint out[DRIFTS];
};

/* A healthy run: everything wavers by a tenth. */
static void run_make(struct run *r, uint64_t seed, size_t count)
{
	struct prng p;

	prng_seed(&p, seed);
	r->count = count;
	drift_limits_default(&r->limits);
	for (size_t i = 0; i < count; i++)
		r->s[i] = (struct drift_sample){
			.at_s = (double)i + 1,
			.backlog = (double)prng_below(&p, 60),
			.memory_bytes = 5e7 + 4096.0 * prng_below(&p, 8),
			.descriptors = 9,
			.messages = 90000 + (double)prng_below(&p, 20000),
			.elapsed_s = 1,
			.moving = true,
		};
}

static size_t run_judge(struct run *r)
{
	return drift_judge(r->s, r->count, &r->limits, r->out);
}

/* Exactly one complaint, of that kind, whose text has @word. */
static void run_expect(struct run *r, enum drift_kind kind, const char *word)
{
	assert_int_equal(run_judge(r), 1);
	assert_string_equal(drift_kind_name(r->out[0].kind),
			    drift_kind_name(kind));
	assert_non_null(strstr(r->out[0].text, word));
}

static void test_noise_is_none(void **state)
{
	static struct run r;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		run_make(&r, seed, 8 + seed % SAMPLES);
		assert_int_equal(run_judge(&r), 0);
	}
	run_make(&r, 1, 20 * SAMPLES);
	assert_int_equal(run_judge(&r), 0);
	r.count = 0;
	assert_int_equal(run_judge(&r), 0);
}

static void test_backlog(void **state)
{
	static struct run r;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		run_make(&r, seed, SAMPLES);
		for (size_t i = 0; i < r.count; i++)
			r.s[i].backlog += 2.0 * (double)i;
		run_expect(&r, DRIFT_BACKLOG, "only become more");
	}
}

static void test_memory(void **state)
{
	static struct run r;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		run_make(&r, seed, SAMPLES);
		for (size_t i = 0; i < r.count; i++)
			r.s[i].memory_bytes += 8192.0 * (double)i;
		run_expect(&r, DRIFT_MEMORY, "MiB an hour");
	}
	/* The same growth, allowed. */
	r.limits.memory_bytes_per_h = 40.0 * (1 << 20);
	assert_int_equal(run_judge(&r), 0);
}

/* Half an hour, a little more than 1 MiB an hour, and a little less. */
static void test_memory_slope_at_the_limit(void **state)
{
	static struct run r;

	run_make(&r, 5, 1800);
	for (size_t i = 0; i < r.count; i++)
		r.s[i].memory_bytes += 1.2 * (1 << 20) / 3600 * (double)i;
	run_expect(&r, DRIFT_MEMORY, "at most 1.00");
	run_make(&r, 5, 1800);
	for (size_t i = 0; i < r.count; i++)
		r.s[i].memory_bytes += 0.8 * (1 << 20) / 3600 * (double)i;
	assert_int_equal(run_judge(&r), 0);
}

static void test_memory_step_is_none(void **state)
{
	static struct run r;

	/* A pool that grew once, within the settling time. */
	run_make(&r, 3, SAMPLES);
	for (size_t i = 0; i < 1; i++)
		r.s[i].memory_bytes = 1e6;
	assert_int_equal(run_judge(&r), 0);
}

static void test_descriptors(void **state)
{
	static struct run r;

	run_make(&r, 1, SAMPLES);
	for (size_t i = 0; i < r.count; i++)
		r.s[i].descriptors += (double)(i / 20);
	run_expect(&r, DRIFT_DESCRIPTORS, "9 at the beginning");
	run_make(&r, 1, SAMPLES);
	r.s[50].descriptors += 30;
	assert_int_equal(run_judge(&r), 0);
}

static void test_rate(void **state)
{
	static struct run r;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		run_make(&r, seed, SAMPLES);
		for (size_t i = 0; i < r.count; i++)
			r.s[i].messages *= 1 - 0.4 * (double)i / SAMPLES;
		run_expect(&r, DRIFT_RATE, "the rate falls");
	}
	/* One bad second is none, nor is a fall within the limit. */
	run_make(&r, 1, SAMPLES);
	r.s[60].messages = 10;
	assert_int_equal(run_judge(&r), 0);
	for (size_t i = 0; i < r.count; i++)
		r.s[i].messages *= 1 - 0.1 * (double)i / SAMPLES;
	assert_int_equal(run_judge(&r), 0);
}

/* A full CQ and a falling rate are a slow consumer; a falling rate alone is
 * not. */
static void test_slow_consumer(void **state)
{
	static struct run r;

	run_make(&r, 3, SAMPLES);
	r.limits.backlog_full = 128;
	for (size_t i = 0; i < r.count; i++)
		r.s[i].messages *= 1 - 0.9 * (double)i / SAMPLES;
	for (size_t i = 0; i < r.count; i++)
		r.s[i].backlog = 50 + (double)(i * 7 % 60);
	run_expect(&r, DRIFT_RATE, "of at most 128 completions wait");
	assert_non_null(strstr(r.out[0].text, "it is polled too slowly"));
	for (size_t i = 0; i < r.count; i++)
		r.s[i].backlog = (double)(i * 7 % 40);
	run_expect(&r, DRIFT_RATE, "the rate falls");
	assert_null(strstr(r.out[0].text, "slowly"));
	/* Nothing is said where nothing is known. */
	r.limits.backlog_full = 0;
	run_expect(&r, DRIFT_RATE, "the rate falls");
	assert_null(strstr(r.out[0].text, "slowly"));
}

/* The same falls and rises while the host is busy are the host's. */
static void test_busy_host(void **state)
{
	static struct run r;

	run_make(&r, 1, SAMPLES);
	for (size_t i = 0; i < r.count; i++) {
		r.s[i].messages *= 1 - 0.4 * (double)i / SAMPLES;
		r.s[i].backlog += 2.0 * (double)i;
		r.s[i].starved_s = 0.11;
	}
	assert_int_equal(run_judge(&r), 0);
	assert_int_equal(drift_starved(r.s, r.count), SAMPLES);
	/* Memory is not. */
	for (size_t i = 0; i < r.count; i++)
		r.s[i].memory_bytes += 8192.0 * (double)i;
	run_expect(&r, DRIFT_MEMORY, "MiB an hour");
	/* Busy for a quarter of the time: the rest is enough. */
	run_make(&r, 1, SAMPLES);
	for (size_t i = 0; i < r.count; i++) {
		r.s[i].messages *= i % 4 ? 1 - 0.4 * (double)i / SAMPLES : 0.1;
		r.s[i].starved_s = i % 4 ? 0.09 : 0.5;
	}
	run_expect(&r, DRIFT_RATE, "the rate falls");
	assert_int_equal(drift_starved(r.s, r.count), SAMPLES / 4);
	/* A standstill is one whatever the host does: its limit is the user's. */
	run_make(&r, 1, SAMPLES);
	for (size_t i = 40; i < 45; i++) {
		r.s[i].moving = false;
		r.s[i].starved_s = 0.95;
	}
	run_expect(&r, DRIFT_STALL, "standstill for 5.0 s");
}

static void test_stall(void **state)
{
	static struct run r;

	run_make(&r, 1, SAMPLES);
	for (size_t i = 40; i < 45; i++)
		r.s[i].moving = false;
	run_expect(&r, DRIFT_STALL,
		   "standstill for 5.0 s, from 40.0 s to 45.0");
	/* The same while connections are made anew. */
	for (size_t i = 40; i < 45; i++)
		r.s[i].idle = true;
	assert_int_equal(run_judge(&r), 0);
	/* Not long enough. */
	run_make(&r, 1, SAMPLES);
	r.s[40].moving = r.s[41].moving = r.s[50].moving = false;
	assert_int_equal(run_judge(&r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_is_none),
		cmocka_unit_test(test_backlog),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_slope_at_the_limit),
		cmocka_unit_test(test_memory_step_is_none),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_slow_consumer),
		cmocka_unit_test(test_busy_host),
		cmocka_unit_test(test_stall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
