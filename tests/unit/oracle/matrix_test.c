// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The status matrix: every row reads, and the odd ones mean what they say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verbs_names.h"
#include "suite/oracle/matrix.h"

#define BIT(name) VERBS_STATUS_BIT(IBV_WC_##name)

static void test_every_row(void **state)
{
	assert_in_range(matrix_count(), 45, 1000);
	for (uint32_t i = 0; i < matrix_count(); i++) {
		struct matrix_row row;
		char *error = NULL;
		int err = matrix_parse(i, &row, &error);

		if (err)
			print_message("%s\n", error);
		assert_int_equal(err, 0);
		assert_true(row.types != 0);
		/* something must be right at each end */
		assert_true(row.requester.statuses || row.requester.none ||
			    row.requester.post_error);
		assert_true(row.responder.statuses || row.responder.none ||
			    row.responder.not_applicable);
		assert_true(row.requester_after.states ||
			    row.requester_after.unchanged ||
			    row.requester_after.any);
		assert_true(row.responder_after.states ||
			    row.responder_after.unchanged ||
			    row.responder_after.any ||
			    row.responder_after.not_applicable);
		/* what is usual is also right */
		assert_true((row.canon.statuses & row.requester.statuses) ||
			    (row.canon.none && row.requester.none) ||
			    (row.canon.post_error && row.requester.post_error));
	}
}

static void test_short_receive(void **state)
{
	struct matrix_row row;

	assert_int_equal(matrix_row("S02", &row), 0);
	assert_int_equal(row.types, 1u << IBV_QPT_RC);
	assert_int_equal(row.canon.statuses, BIT(REM_INV_REQ_ERR));
	assert_int_equal(row.requester.statuses,
			 BIT(REM_INV_REQ_ERR) | BIT(REM_OP_ERR));
	assert_int_equal(row.responder.statuses,
			 BIT(LOC_LEN_ERR) | BIT(LOC_QP_OP_ERR));
	assert_false(row.requester.none || row.requester.post_error);
	assert_int_equal(row.requester_after.states,
			 MATRIX_STATE_BIT(IBV_QPS_ERR));
	assert_true(matrix_accepts(&row.requester, IBV_WC_REM_OP_ERR));
	assert_false(matrix_accepts(&row.requester, IBV_WC_SUCCESS));
	assert_false(matrix_accepts(&row.requester, (enum ibv_wc_status)99));
}

static void test_free_text(void **state)
{
	struct matrix_row row;

	/* none | unchanged */
	assert_int_equal(matrix_row("S03", &row), 0);
	assert_true(row.responder.none);
	assert_int_equal(row.responder.statuses, 0);
	assert_true(matrix_state_fits(&row.responder_after, IBV_QPS_RTS,
				      IBV_QPS_RTS));
	assert_false(matrix_state_fits(&row.responder_after, IBV_QPS_RTS,
				       IBV_QPS_ERR));
	/* post error,... | ERR or RTS (post error) */
	assert_int_equal(matrix_row("S19", &row), 0);
	assert_true(row.requester.post_error);
	assert_int_equal(row.requester_after.states,
			 MATRIX_STATE_BIT(IBV_QPS_ERR) |
				 MATRIX_STATE_BIT(IBV_QPS_RTS));
	/* RETRY_EXC,REM_OP,FATAL,none within test time | WR_FLUSH for ... */
	assert_int_equal(matrix_row("S25", &row), 0);
	assert_true(row.requester.none);
	assert_true(matrix_accepts(&row.requester, IBV_WC_FATAL_ERR));
	assert_int_equal(row.responder.statuses, BIT(WR_FLUSH_ERR));
	/* SUCCESS or none | RTR,SQD */
	assert_int_equal(matrix_row("S26", &row), 0);
	assert_true(row.responder.none);
	assert_int_equal(row.responder.statuses, BIT(SUCCESS));
	assert_true(matrix_state_fits(&row.responder_after, IBV_QPS_RTS,
				      IBV_QPS_SQD));
	/* undefined | any */
	assert_int_equal(matrix_row("S28", &row), 0);
	assert_int_equal(row.requester.statuses, UINT32_MAX);
	assert_true(matrix_state_fits(&row.requester_after, IBV_QPS_RTS,
				      IBV_QPS_SQE));
	/* none (SRQ: REM_ACCESS/REM_INV_REQ possible) */
	assert_int_equal(matrix_row("S35", &row), 0);
	assert_true(row.responder.none);
	assert_int_equal(row.responder.statuses, 0);
	assert_int_equal(row.responder.conditional,
			 BIT(REM_ACCESS_ERR) | BIT(REM_INV_REQ_ERR));
	/* no NAK then RETRY_EXC ... | any error */
	assert_int_equal(matrix_row("S38", &row), 0);
	assert_int_equal(row.canon.statuses, BIT(RETRY_EXC_ERR));
	assert_false(matrix_accepts(&row.responder, IBV_WC_SUCCESS));
	assert_true(matrix_accepts(&row.responder, IBV_WC_REM_INV_REQ_ERR));
	/* WR_FLUSH,SUCCESS (already executed) */
	assert_int_equal(matrix_row("S39", &row), 0);
	assert_int_equal(row.requester.statuses,
			 BIT(WR_FLUSH_ERR) | BIT(SUCCESS));
	/* n/a */
	assert_int_equal(matrix_row("S41", &row), 0);
	assert_true(row.responder.not_applicable);
	assert_true(row.responder_after.not_applicable);
}

static void test_absent(void **state)
{
	struct matrix_row row;

	assert_int_equal(matrix_row("S00", &row), -ENOENT);
	assert_int_equal(matrix_parse(matrix_count(), &row, NULL), -EINVAL);
}

/* What the peer answers is no status of iWARP's requests. */
static void test_iwarp(void **state)
{
	const uint32_t refused = BIT(REM_ACCESS_ERR) | BIT(REM_INV_REQ_ERR);

	assert_int_equal(matrix_iwarp(IBV_WR_RDMA_WRITE, refused),
			 refused | BIT(WR_FLUSH_ERR));
	assert_int_equal(matrix_iwarp(IBV_WR_SEND, BIT(RETRY_EXC_ERR)),
			 BIT(RETRY_EXC_ERR) | BIT(SUCCESS) | BIT(WR_FLUSH_ERR));
	assert_int_equal(matrix_iwarp(IBV_WR_SEND, BIT(REM_OP_ERR)),
			 BIT(REM_OP_ERR) | BIT(SUCCESS) | BIT(WR_FLUSH_ERR));
	assert_int_equal(matrix_iwarp(IBV_WR_RDMA_READ, refused),
			 refused | BIT(WR_FLUSH_ERR));
	assert_int_equal(matrix_iwarp(IBV_WR_SEND, BIT(LOC_PROT_ERR)),
			 BIT(LOC_PROT_ERR));
	assert_int_equal(matrix_iwarp(IBV_WR_SEND, BIT(SUCCESS)), BIT(SUCCESS));
}

static void test_print(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct matrix_row row;

	assert_int_equal(matrix_row("S19", &row), 0);
	matrix_accept_print(&row.requester, &out);
	assert_string_equal(strbuf_text(&out),
			    "LOC_QP_OP_ERR,REM_INV_REQ_ERR,REM_ACCESS_ERR or a "
			    "refused post");
	strbuf_reset(&out);
	assert_int_equal(matrix_row("S28", &row), 0);
	matrix_accept_print(&row.requester, &out);
	assert_string_equal(strbuf_text(&out), "anything");
	strbuf_reset(&out);
	assert_int_equal(matrix_row("S38", &row), 0);
	matrix_accept_print(&row.responder, &out);
	assert_string_equal(strbuf_text(&out), "any error");
	strbuf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row),
		cmocka_unit_test(test_short_receive),
		cmocka_unit_test(test_free_text),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_iwarp),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
