// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What each message is, ledgers that agree or say where not, knees, times. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/bench/sweep.h"
#include "suite/bench/traffic.h"
#include "suite/cli/times.h"

static struct traffic_program program(void)
{
	return (struct traffic_program){
		.qps = 4,
		.inflight = 8,
		.rq_depth = 8,
		.batch = 16,
		.mix = { 1, 1, 1, 1, 1 },
		.sizes = { .kind = VB_SIZES_RANDOM },
		.seed = 7,
		.duration_ns = 1,
	};
}

/* Every operation comes, and a message that takes a receive is behind each
 * WRITE. */
static void test_plan(void **state)
{
	struct traffic_program p = program();
	unsigned seen[TRAFFIC_OPS] = { 0 };
	uint32_t longest = 0;

	for (uint64_t n = 0; n < 20000; n++) {
		enum traffic_op op = traffic_op_of(&p, 0, 1, n);
		uint32_t len = traffic_len_of(&p, 0, 1, n, op);

		seen[op]++;
		assert_in_range(len, 0, traffic_len_max(&p));
		if (len > longest)
			longest = len;
		assert_int_equal(op, traffic_op_of(&p, 0, 1, n));
		if (op == TRAFFIC_WRITE)
			assert_true(traffic_takes_receive(
				traffic_op_of(&p, 0, 1, n + 1)));
	}
	for (unsigned i = 0; i < TRAFFIC_OPS; i++)
		assert_in_range(seen[i], 1000, 10000);
	assert_in_range(longest, 60000, TRAFFIC_RANDOM_MAX);
}

static void refused(struct traffic_program p, const char *word)
{
	struct strbuf error = STRBUF_INIT;

	assert_int_equal(traffic_program_check(&p, &error), -EINVAL);
	assert_non_null(strstr(strbuf_text(&error), word));
	strbuf_free(&error);
}

static void test_program_check(void **state)
{
	struct strbuf error = STRBUF_INIT;
	struct traffic_program p = program();

	assert_int_equal(traffic_program_check(&p, &error), 0);
	p.qps = 1025;
	refused(p, "--qps 1025");
	p = program();
	p.inflight = 0;
	refused(p, "--inflight 0");
	p = program();
	p.qps = 1024, p.inflight = 1024;
	refused(p, "MiB");
	p = program();
	p.duration_ns = 0;
	refused(p, "duration");
	/* What no option can say, and another host may. */
	p = program();
	p.direction = TRAFFIC_ECHO + 1;
	refused(p, "direction 4");
	p = program();
	p.sizes = (struct vb_sizes){ VB_SIZES_RANGE, 2, { 64, 63 } };
	refused(p, "--size from 64");
	p.sizes.bytes[1] = 64;
	assert_int_equal(traffic_program_check(&p, &error), 0);
	p.sizes.count = 1;
	refused(p, "--size from 64");
}

struct pair {
	struct traffic_result a, b;
};

static struct pair *pair_make(void)
{
	struct pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->a.qps = p->b.qps = 3;
	for (uint64_t n = 0; n < 5000; n++) {
		traffic_flow_add(&p->a.tx[2], TRAFFIC_SEND, n, 100);
		traffic_flow_add(&p->b.tx[1], TRAFFIC_SEND, n, 50);
		traffic_flow_add(&p->a.rx[1], TRAFFIC_SEND, n, 50);
	}
	return p;
}

/* b receives of QP 2 what @change leaves of it. */
static void pair_receive(struct pair *p, uint64_t lost, uint64_t swapped)
{
	for (uint64_t n = 0; n < 5000; n++) {
		uint64_t is = n == swapped	 ? n + 1
			      : n == swapped + 1 ? n - 1
						 : n;

		if (n != lost)
			traffic_flow_add(&p->b.rx[2], TRAFFIC_SEND, is, 100);
	}
}

static void test_reconcile(void **state)
{
	struct strbuf error = STRBUF_INIT;
	struct pair *p = pair_make();

	pair_receive(p, UINT64_MAX, UINT64_MAX - 1);
	assert_int_equal(traffic_reconcile(&p->a, &p->b, &error), 0);
	free(p);
	p = pair_make();
	pair_receive(p, 4999, UINT64_MAX - 1);
	assert_int_equal(traffic_reconcile(&p->a, &p->b, &error), -EBADMSG);
	assert_non_null(strstr(strbuf_text(&error), "qp2, a to b: 5000"));
	assert_non_null(strstr(strbuf_text(&error), "4999"));
	free(p);
	/* Nothing is missing, and yet the order was another. */
	strbuf_reset(&error);
	p = pair_make();
	pair_receive(p, UINT64_MAX, 3000);
	assert_int_equal(traffic_reconcile(&p->a, &p->b, &error), -EBADMSG);
	assert_non_null(
		strstr(strbuf_text(&error), "the first that differs is 3000"));
	/* A receiver that saw nothing odd: between which two marks? */
	strbuf_reset(&error);
	p->b.rx[2].odd = 0;
	assert_int_equal(traffic_reconcile(&p->a, &p->b, &error), -EBADMSG);
	assert_non_null(strstr(strbuf_text(&error),
			       "the first that differs is from 2816 to 3071"));
	free(p);
	/* One in the middle is lost, or has another length. */
	strbuf_reset(&error);
	p = pair_make();
	pair_receive(p, 1234, UINT64_MAX - 1);
	assert_int_equal(traffic_reconcile(&p->a, &p->b, &error), -EBADMSG);
	assert_non_null(
		strstr(strbuf_text(&error), "the first that differs is 1234"));
	free(p);
	strbuf_reset(&error);
	p = pair_make();
	for (uint64_t n = 0; n < 5000; n++) {
		if (n == 77)
			traffic_flow_odd(&p->b.rx[2]);
		traffic_flow_add(&p->b.rx[2], TRAFFIC_SEND, n,
				 n == 77 ? 99 : 100);
	}
	assert_int_equal(traffic_reconcile(&p->a, &p->b, &error), -EBADMSG);
	assert_non_null(strstr(strbuf_text(&error),
			       "499999 were received; the first that differs "
			       "is 77"));
	free(p);
	strbuf_free(&error);
}

static void test_knee(void **state)
{
	struct sweep_cell cells[] = {
		{ .rq_depth = 16,
		  .inflight = 1,
		  .messages_per_s = 1e5,
		  .messages = 1000 },
		{ .rq_depth = 16,
		  .inflight = 4,
		  .messages_per_s = 3e5,
		  .messages = 3000 },
		{ .rq_depth = 16,
		  .inflight = 16,
		  .messages_per_s = 3.1e5,
		  .messages = 3100 },
		{ .rq_depth = 16,
		  .inflight = 64,
		  .messages_per_s = 1e4,
		  .messages = 100,
		  .rnr = 90 },
	};
	struct strbuf words = STRBUF_INIT;

	sweep_words(cells, 4, &words);
	assert_non_null(strstr(strbuf_text(&words), "4 in flight reach"));
	assert_non_null(strstr(strbuf_text(&words), "more bring less"));
	assert_non_null(strstr(strbuf_text(&words),
			       "not ready from 64 in flight on, which is more "
			       "than the receive queue holds: 90 RNR NAKs"));
	assert_non_null(strstr(strbuf_text(&words), "falls by up to 97%"));
	strbuf_reset(&words);
	sweep_words(cells, 2, &words);
	assert_non_null(strstr(strbuf_text(&words), "no knee is in sight"));
	assert_non_null(strstr(strbuf_text(&words), "always ready"));
	strbuf_free(&words);
}

static void test_axes(void **state)
{
	const struct sweep_axes axes = {
		.sizes = { .count = 2, .bytes = { 64, 128 } },
		.qps = { .count = 1, .bytes = { 1 } },
		.batches = { .count = 1, .bytes = { 16 } },
		.rq_depths = { .count = 2, .bytes = { 1, 4 } },
		.inflights = { .count = 3, .bytes = { 1, 2, 3 } },
	};
	struct sweep_cell c;

	assert_int_equal(sweep_count(&axes), 12);
	sweep_cell_at(&axes, 11, &c);
	assert_int_equal(c.size, 128);
	assert_int_equal(c.rq_depth, 4);
	assert_int_equal(c.inflight, 3);
	sweep_cell_at(&axes, 1, &c);
	assert_int_equal(c.inflight, 2);
	assert_int_equal(c.rq_depth, 1);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = { { "500ms", 500000000 },
		     { "1.5s", 1500000000 },
		     { "10m", 600000000000 },
		     { "1h", 3600000000000 } };
	static const char *const bad[] = {
		"", "5", "-1s", "s", "5 s", "1d", "0s", "1000h", "nan", "1e99s"
	};
	struct strbuf text = STRBUF_INIT;
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(
			times_parse(good[i].text, "--duration", &ns, &text), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		strbuf_reset(&text);
		assert_int_equal(times_parse(bad[i], "--duration", &ns, &text),
				 -EINVAL);
		assert_non_null(strstr(strbuf_text(&text), "--duration"));
	}
	strbuf_reset(&text);
	times_text(90000000000, &text);
	assert_string_equal(strbuf_text(&text), "90s");
	strbuf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_program_check),
		cmocka_unit_test(test_reconcile),
		cmocka_unit_test(test_knee),
		cmocka_unit_test(test_axes),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
