// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a sweep says of cells: where the knee is, and where receivers are not
 * ready.  The cells are made up; that a device yields such is for
 * tests/runs/bench.test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "suite/bench/sweep.h"

enum { CELLS = 4 };

/* 4 KiB over one QP, RQ depth 8, 1 to 64 in flight. */
static void cells_make(struct sweep_cell cells[CELLS])
{
	static const uint32_t inflight[CELLS] = { 1, 4, 16, 64 };

	for (int i = 0; i < CELLS; i++)
		cells[i] = (struct sweep_cell){
			.size = 4096,
			.qps = 1,
			.batch = 16,
			.rq_depth = 8,
			.inflight = inflight[i],
			.messages_per_s = 1000 * inflight[i],
			.messages = 1000,
		};
}

static void says(const struct sweep_cell *cells, uint32_t count,
		 const char *text)
{
	struct strbuf words = STRBUF_INIT;

	sweep_words(cells, count, &words);
	if (!strstr(strbuf_text(&words), text))
		fail_msg("\"%s\" has no \"%s\"", strbuf_text(&words), text);
	strbuf_free(&words);
}

static void says_not(const struct sweep_cell *cells, uint32_t count,
		     const char *text)
{
	struct strbuf words = STRBUF_INIT;

	sweep_words(cells, count, &words);
	if (strstr(strbuf_text(&words), text))
		fail_msg("\"%s\" has \"%s\"", strbuf_text(&words), text);
	strbuf_free(&words);
}

static void test_nothing(void **state)
{
	struct strbuf words = STRBUF_INIT;

	sweep_words(NULL, 0, &words);
	assert_string_equal(strbuf_text(&words), "");
	strbuf_free(&words);
}

static void test_still_grows(void **state)
{
	struct sweep_cell cells[CELLS];

	cells_make(cells);
	says(cells, CELLS, "4096 bytes, 1 qps, batch 16, RQ depth 8: ");
	says(cells, CELLS, "still grows at 64 in flight (64000 msg/s)");
	says(cells, CELLS, "receivers are always ready");
	/* Of one cell nothing grows, and nothing else can be said. */
	says(cells, 1, "no knee is in sight");
}

static void test_flat_after_the_knee(void **state)
{
	struct sweep_cell cells[CELLS];

	cells_make(cells);
	cells[2].messages_per_s = 4300;
	cells[3].messages_per_s = 4400;
	says(cells, CELLS,
	     "4 in flight reach 4000 msg/s, and more bring little (4400 with 64)");
	/* A tenth less than the best is the border. */
	cells[1].messages_per_s = 3959;
	says(cells, CELLS, "16 in flight reach 4300 msg/s");
}

static void test_less_after_the_knee(void **state)
{
	struct sweep_cell cells[CELLS];

	cells_make(cells);
	cells[3].messages_per_s = 2000;
	says(cells, CELLS,
	     "16 in flight reach 16000 msg/s, and more bring less (2000 with 64)");
}

static void test_pressure_beyond_the_queue(void **state)
{
	struct sweep_cell cells[CELLS];

	cells_make(cells);
	cells[2].rnr = 500;
	cells[3].rnr = 900;
	cells[3].messages_per_s = 4000;
	says(cells, CELLS,
	     "not ready from 16 in flight on, which is more than the receive "
	     "queue holds: 500 RNR NAKs for 1000 messages");
	says(cells, CELLS, "and throughput falls by up to 75%");
	/* A loss before the pressure is not of it. */
	cells[3].messages_per_s = 15000;
	cells[0].messages_per_s = 100;
	says_not(cells, CELLS, "falls");
}

static void test_pressure_within_the_queue(void **state)
{
	struct sweep_cell cells[CELLS];

	/* A receiver that is late: the depth is not what is to blame. */
	cells_make(cells);
	for (int i = 0; i < CELLS; i++)
		cells[i].rnr = 100;
	says(cells, CELLS,
	     "not ready from 1 in flight on: 100 RNR NAKs for 1000");
	says_not(cells, CELLS, "more than the receive queue holds");
}

static void test_accidents(void **state)
{
	struct sweep_cell cells[CELLS];

	/* One in twenty is not yet pressure, one more is. */
	cells_make(cells);
	cells[3].rnr = 50;
	says(cells, CELLS, "receivers are always ready");
	cells[3].rnr = 51;
	says(cells, CELLS, "not ready from 64 in flight on");
	/* Nor are two, whatever they are of. */
	cells[3].rnr = 2;
	cells[3].messages = 3;
	says(cells, CELLS, "receivers are always ready");
}

static void test_cell_numbers(void **state)
{
	const struct sweep_axes axes = {
		.sizes = { .count = 2, .bytes = { 64, 4096 } },
		.qps = { .count = 1, .bytes = { 3 } },
		.batches = { .count = 1, .bytes = { 16 } },
		.rq_depths = { .count = 3, .bytes = { 1, 4, 16 } },
		.inflights = { .count = 2, .bytes = { 1, 32 } },
	};
	struct sweep_cell cell;

	assert_int_equal(sweep_count(&axes), 12);
	sweep_cell_at(&axes, 3, &cell);
	assert_int_equal(cell.inflight, 32);
	assert_int_equal(cell.rq_depth, 4);
	assert_int_equal(cell.size, 64);
	sweep_cell_at(&axes, 11, &cell);
	assert_int_equal(cell.inflight, 32);
	assert_int_equal(cell.rq_depth, 16);
	assert_int_equal(cell.size, 4096);
	assert_int_equal(cell.qps, 3);
	assert_int_equal(cell.batch, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_still_grows),
		cmocka_unit_test(test_flat_after_the_knee),
		cmocka_unit_test(test_less_after_the_knee),
		cmocka_unit_test(test_pressure_beyond_the_queue),
		cmocka_unit_test(test_pressure_within_the_queue),
		cmocka_unit_test(test_accidents),
		cmocka_unit_test(test_cell_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
