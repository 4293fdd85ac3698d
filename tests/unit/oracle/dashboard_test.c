// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The dashboard: figures, bounds of its tables, the printed table. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "suite/oracle/dashboard.h"

static struct dashboard area;

static void test_figures(void **state)
{
	struct dashboard *d = dashboard_init(&area, sizeof(area));
	struct dashboard_qp *q;
	struct dashboard_cq *c;

	assert_non_null(d);
	q = dashboard_qp_open(d, 0, 3, 0x111, 2);
	c = dashboard_cq_open(d, 0, 5, 100);
	assert_non_null(q);
	assert_non_null(c);
	assert_string_equal(dashboard_state_name(q->queried), "-");
	dashboard_qp_depths(q, 32, 64);
	dashboard_qp_believed(q, IBV_QPS_RTS);
	dashboard_qp_queried(q, IBV_QPS_ERR);
	dashboard_sends_posted(q, 10);
	dashboard_recvs_posted(q, 20);
	dashboard_send_done(q, IBV_WC_SUCCESS, 4);
	dashboard_send_done(q, IBV_WC_RETRY_EXC_ERR, 1);
	dashboard_recv_done(q, IBV_WC_WR_FLUSH_ERR);
	dashboard_stale(q);
	dashboard_polled(c, 3);
	dashboard_polled(c, 0);
	dashboard_cq_event(c);
	dashboard_async_event(d, 0);
	assert_int_equal(dashboard_sq_outstanding(q), 5);
	assert_int_equal(dashboard_rq_left(q), 19);
	assert_int_equal(q->completions, 3);
	assert_int_equal(q->errors, 1);
	assert_int_equal(q->flushes, 1);
	assert_int_equal(q->stale, 1);
	assert_int_equal(c->polls, 2);
	assert_int_equal(c->completions, 3);
	assert_int_equal(c->batch_max, 3);
	assert_int_equal(c->batches[dashboard_batch_bin(3)], 1);
	assert_int_equal(d->ends[0].async_events, 1);
	/* settled seen before posted: not below nothing */
	dashboard_send_done(q, IBV_WC_SUCCESS, 99);
	assert_int_equal(dashboard_sq_outstanding(q), 0);
}

static void test_bins(void **state)
{
	static const struct {
		uint32_t got;
		const char *name;
	} rows[] = {
		{ 0, "0" },	 { 1, "1" },	  { 2, "2" },
		{ 3, "3-4" },	 { 4, "3-4" },	  { 5, "5-8" },
		{ 8, "5-8" },	 { 9, "9-16" },	  { 16, "9-16" },
		{ 17, "17-32" }, { 32, "17-32" }, { 33, "33-64" },
		{ 64, "33-64" }, { 65, "65-" },	  { UINT32_MAX, "65-" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(
			dashboard_batch_name(dashboard_batch_bin(rows[i].got)),
			rows[i].name);
}

static void test_full_and_reused(void **state)
{
	struct dashboard *d = dashboard_init(&area, sizeof(area));
	struct strbuf out = STRBUF_INIT;
	struct dashboard_qp *last = NULL;

	for (uint32_t i = 0; i < DASHBOARD_QPS_MAX; i++) {
		last = dashboard_qp_open(d, 1, i, 0x100 + i, 1);
		assert_non_null(last);
	}
	assert_null(dashboard_qp_open(d, 1, 99, 0x999, 1));
	assert_int_equal(d->ends[1].qps_unseen, 1);
	/* no row: every call is taken and does nothing */
	dashboard_sends_posted(NULL, 1);
	dashboard_polled(NULL, 1);
	dashboard_qp_close(NULL);
	dashboard_print(d, 4, &out);
	assert_non_null(strstr(strbuf_text(&out), "b qp3 "));
	assert_null(strstr(strbuf_text(&out), "b qp4 "));
	assert_non_null(strstr(strbuf_text(&out), "b and 61 more"));
	dashboard_qp_close(last);
	assert_ptr_equal(dashboard_qp_open(d, 1, 7, 0x777, 2), last);
	assert_int_equal(last->generation, 2);
	for (uint32_t i = 0; i < DASHBOARD_CQS_MAX; i++)
		assert_non_null(dashboard_cq_open(d, 1, i, 10));
	assert_null(dashboard_cq_open(d, 1, 77, 10));
	assert_int_equal(d->ends[1].cqs_unseen, 1);
	strbuf_free(&out);
}

static void test_attach(void **state)
{
	memset(&area, 0, sizeof(area));
	assert_null(dashboard_attach(&area, sizeof(area)));
	assert_null(dashboard_init(&area, sizeof(area) - 1));
	assert_non_null(dashboard_init(&area, sizeof(area)));
	assert_ptr_equal(dashboard_attach(&area, sizeof(area)), &area);
	assert_null(dashboard_attach(&area, sizeof(area) - 1));
	assert_null(dashboard_qp_open(NULL, 0, 0, 0, 0));
}

static void test_print(void **state)
{
	struct dashboard *d = dashboard_init(&area, sizeof(area));
	struct strbuf out = STRBUF_INIT;
	struct dashboard_qp *q = dashboard_qp_open(d, 0, 0, 0x11, 1);

	dashboard_qp_depths(q, 32, 64);
	dashboard_qp_believed(q, IBV_QPS_RTS);
	dashboard_recvs_posted(q, 60);
	dashboard_polled(dashboard_cq_open(d, 0, 2, 128), 16);
	dashboard_print(d, 16, &out);
	assert_non_null(strstr(strbuf_text(&out), "60/64"));
	assert_non_null(strstr(strbuf_text(&out), "RTS      -"));
	assert_non_null(strstr(strbuf_text(&out),
			       "a cq2: room for 128, 16 polled in 1 polls"));
	assert_non_null(strstr(strbuf_text(&out), "9-16:1"));
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_full_and_reused),
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
