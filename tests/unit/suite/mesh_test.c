// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The mesh: its schedule, and how a pair's verdict comes from both ends. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/mesh/judge.h"
#include "suite/mesh/matrix.h"
#include "suite/mesh/schedule.h"

enum { MOST = 33 };

/* --- the schedule -------------------------------------------------------- */

/* Every pair once, and in a disjoint round each rank once. */
static void check_schedule(uint32_t ranks, bool disjoint)
{
	struct mesh_pair pairs[MOST * MOST];
	unsigned met[MOST][MOST] = { { 0 } };
	uint32_t rounds = mesh_round_count(ranks, disjoint), seen = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t count = mesh_round(ranks, disjoint, round, pairs);
		unsigned busy[MOST] = { 0 };

		if (disjoint)
			assert_int_equal(count, ranks / 2);
		for (uint32_t i = 0; i < count; i++) {
			assert_true(pairs[i].a < pairs[i].b);
			assert_true(pairs[i].b < ranks);
			assert_int_equal(met[pairs[i].a][pairs[i].b]++, 0);
			busy[pairs[i].a]++;
			busy[pairs[i].b]++;
			seen++;
		}
		for (uint32_t i = 0; i < ranks && disjoint; i++)
			assert_true(busy[i] <= 1);
	}
	assert_int_equal(seen, mesh_pair_count(ranks));
}

static void test_schedule(void **state)
{
	for (uint32_t ranks = 2; ranks <= MOST; ranks++) {
		check_schedule(ranks, true);
		check_schedule(ranks, false);
		/* No fewer rounds are possible. */
		assert_int_equal(mesh_round_count(ranks, true),
				 ranks % 2 ? ranks : ranks - 1);
		assert_int_equal(mesh_round_count(ranks, false), 1);
	}
}

static void test_schedule_small(void **state)
{
	struct mesh_pair pair;

	assert_int_equal(mesh_round_count(0, true), 0);
	assert_int_equal(mesh_round_count(1, false), 0);
	assert_int_equal(mesh_pair_count(1), 0);
	assert_int_equal(mesh_round(1, true, 0, &pair), 0);
	/* Behind the last round there is nothing. */
	assert_int_equal(mesh_round(2, true, 1, &pair), 0);
}

static void test_pair_index(void **state)
{
	for (uint32_t ranks = 2; ranks <= MOST; ranks++) {
		uint32_t next = 0;

		for (uint32_t a = 0; a < ranks; a++)
			for (uint32_t b = a + 1; b < ranks; b++)
				assert_int_equal(
					mesh_pair_index(
						ranks,
						(struct mesh_pair){ a, b }),
					next++);
		assert_int_equal(next, mesh_pair_count(ranks));
	}
}

/* --- the verdict --------------------------------------------------------- */

static struct mesh_matrix *matrix;
static struct traffic_result *ends[2];
static struct mesh_found found;

static int verdict_setup(void **state)
{
	matrix = mesh_matrix_new(4);
	for (uint32_t i = 0; i < 4; i++)
		matrix->rank[i].facts = json_pack("{s:s}", "host", "alpha");
	for (int end = 0; end < 2; end++) {
		ends[end] = calloc(1, sizeof(*ends[end]));
		ends[end]->qps = 1;
	}
	found = (struct mesh_found){ .result = { ends[0], ends[1] },
				     .ready = { true, true } };
	/* a has sent one message, and b has it. */
	traffic_flow_add(&ends[0]->tx[0], TRAFFIC_SEND, 0, 64);
	traffic_flow_add(&ends[1]->rx[0], TRAFFIC_SEND, 0, 64);
	ends[1]->wall_ns = 1000000000;
	ends[1]->received = 1;
	ends[1]->received_bytes = 64;
	return 0;
}

static int verdict_teardown(void **state)
{
	mesh_matrix_free(matrix);
	free(ends[0]);
	free(ends[1]);
	return 0;
}

static void expect_verdict(enum vb_verdict verdict, const char *words)
{
	struct mesh_cell *cell = &matrix->cell[4]; /* of ranks 1 and 3 */

	mesh_verdict(matrix, &found, MESH_THROUGHPUT, cell);
	assert_int_equal(cell->verdict, verdict);
	if (words && !strstr(cell->reason, words))
		fail_msg("'%s' does not say '%s'", cell->reason, words);
}

static void test_pass(void **state)
{
	expect_verdict(VB_PASS, NULL);
	assert_int_equal(matrix->cell[4].messages, 1);
	assert_true(mesh_speed(matrix, 1, 3) == 64.0);
	assert_true(mesh_speed(matrix, 3, 1) == 0.0);
}

static void test_nothing_moved(void **state)
{
	memset(&ends[0]->tx[0], 0, sizeof(ends[0]->tx[0]));
	memset(&ends[1]->rx[0], 0, sizeof(ends[1]->rx[0]));
	expect_verdict(VB_BROKEN, "no message was exchanged");
}

static void test_lost_message(void **state)
{
	memset(&ends[1]->rx[0], 0, sizeof(ends[1]->rx[0]));
	expect_verdict(VB_FAIL, "qp0, a to b: 1 messages of 64 bytes were "
				"sent, 0 of 0 were received");
}

static void test_finding(void **state)
{
	struct traffic_finding *f = &ends[1]->findings[0];

	strcpy(f->kind, "wrong-content");
	strcpy(f->text, "qp0 seq 7");
	ends[1]->findings_count = 1;
	ends[1]->findings_total = 9;
	ends[1]->err = -5;
	found.status[1] = 1 << 8;
	/* a was told to end, and knows nothing. */
	ends[0]->err = -5;
	found.status[0] = 1 << 8;
	expect_verdict(VB_FAIL, "end b, rank 3 (alpha): wrong-content: qp0 "
				"seq 7 (9 findings)");
}

static void test_death(void **state)
{
	found.status[0] = SIGSEGV;
	ends[1]->err = -5;
	found.status[1] = 1 << 8;
	expect_verdict(VB_FAIL, "end a, rank 1 (alpha): its process died by "
				"SIGSEGV (Segmentation fault)");
}

static void test_given_up(void **state)
{
	found.ended = "no end before the deadline by rank 3 (alpha)";
	found.status[1] = SIGKILL;
	expect_verdict(VB_FAIL, "no end before the deadline by rank 3");
}

static void test_not_open(void **state)
{
	found.ready[1] = false;
	found.status[1] = 1 << 8;
	ends[1]->err = -12;
	strcpy(ends[1]->error, "a CQ of 9 entries: no memory");
	expect_verdict(VB_BROKEN, "end b, rank 3 (alpha): a CQ of 9 entries");
}

/* --- the whole ----------------------------------------------------------- */

static void test_suspect(void **state)
{
	for (uint32_t i = 0; i < 6; i++)
		matrix->cell[i].verdict = VB_PASS;
	assert_int_equal(mesh_suspect(matrix), -1);
	matrix->cell[1].verdict = VB_FAIL; /* 0 and 2 */
	/* One pair: it may be either of the two. */
	assert_int_equal(mesh_suspect(matrix), -1);
	matrix->cell[5].verdict = VB_BROKEN; /* 2 and 3 */
	assert_int_equal(mesh_suspect(matrix), 2);
	matrix->cell[0].verdict = VB_FAIL; /* 0 and 1 */
	assert_int_equal(mesh_suspect(matrix), -1);
}

static void test_mismatches(void **state)
{
	struct strbuf text = STRBUF_INIT;

	mesh_mismatches(matrix, &text);
	assert_int_equal(text.len, 0);
	for (uint32_t i = 0; i < 4; i++)
		json_object_set_new(matrix->rank[i].facts, "mtu",
				    json_integer(i == 1 ? 1024 : 4096));
	mesh_mismatches(matrix, &text);
	assert_string_equal(strbuf_text(&text),
			    "MTU: 4096 at rank 0, 2-3; 1024 at rank 1; a pair "
			    "has the smaller of its two\n");
	strbuf_free(&text);
}

/* A name of another host, cut within a character, spoils neither format. */
static void test_foreign_text(void **state)
{
	json_t *settings = json_object(), *json, *pair;
	size_t len;
	char *svg;
	FILE *out = open_memstream(&svg, &len);

	for (uint32_t i = 0; i < 6; i++)
		matrix->cell[i].verdict = VB_PASS;
	matrix->cell[0].verdict = VB_BROKEN;
	strcpy(matrix->cell[0].reason, "rank 0 (<\xc3\xa4\xc3): why");
	json = mesh_json(matrix, settings);
	pair = json_array_get(json_object_get(json, "pairs"), 0);
	assert_string_equal(json_string_value(json_object_get(pair, "reason")),
			    "rank 0 (<\xc3\xa4?): why");
	json_decref(json);
	json_decref(settings);

	assert_non_null(out);
	mesh_svg(matrix, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(svg, "rank 0 (&lt;\xc3\xa4?): why"));
	free(svg);
}

/* What comes from another host is made fit to be read. */
static void test_unpack(void **state)
{
	uint32_t all = mesh_result_bytes(1);
	unsigned char *bytes = malloc(all);

	memset(bytes, 0xff, all);
	mesh_result_unpack(bytes, 1, ends[0]);
	assert_int_equal(ends[0]->qps, 1);
	assert_int_equal(ends[0]->findings_count, TRAFFIC_FINDINGS_MAX);
	assert_int_equal(ends[0]->tx[0].marks_count, TRAFFIC_MARKS);
	assert_int_equal(strlen(ends[0]->error), sizeof(ends[0]->error) - 1);
	free(bytes);
}

#define VERDICT(test) \
	cmocka_unit_test_setup_teardown(test, verdict_setup, verdict_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_schedule_small),
		cmocka_unit_test(test_pair_index),
		VERDICT(test_pass),
		VERDICT(test_nothing_moved),
		VERDICT(test_lost_message),
		VERDICT(test_finding),
		VERDICT(test_death),
		VERDICT(test_given_up),
		VERDICT(test_not_open),
		VERDICT(test_suspect),
		VERDICT(test_mismatches),
		VERDICT(test_foreign_text),
		VERDICT(test_unpack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
