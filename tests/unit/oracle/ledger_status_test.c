// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ledger: statuses, flushing, signaling, stale completions, fields. */
#include "tests/unit/oracle/ledger_book.h"

static void test_stale(void **state)
{
	struct book b;
	struct ibv_wc old;

	book_open(&b);
	old = book_wc(book_send(&b, true), IBV_WC_WR_FLUSH_ERR);
	ledger_queue_close(b.sq);
	assert_int_equal(book_take(&b, &old), -ESTALE);
	b.sq = book_queue(&b, WRID_SQ, 3);
	assert_int_equal(book_take(&b, &old), -ESTALE);
	assert_null(b.e);
	assert_int_equal(ledger_stale(b.l), 2);
	assert_int_equal(ledger_queue_counts(b.sq)->stale, 1);
	/* the new connection is untouched */
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	assert_int_equal(book_complete(&b, book_send(&b, true), IBV_WC_SUCCESS),
			 0);
	book_close(&b);
}

/* Generations are counted modulo 4096. */
static void test_stale_wraps(void **state)
{
	struct book b;
	struct ibv_wc old;

	book_open(&b);
	ledger_queue_close(b.sq);
	b.sq = book_queue(&b, WRID_SQ, WRID_GENERATIONS - 1);
	old = book_wc(book_send(&b, true), IBV_WC_SUCCESS);
	ledger_queue_close(b.sq);
	b.sq = book_queue(&b, WRID_SQ, WRID_GENERATIONS);
	assert_int_equal(book_take(&b, &old), -ESTALE);
	book_close(&b);
}

static void test_wrong_status(void **state)
{
	struct book b;
	struct ledger_entry *e;

	book_open(&b);
	e = book_send(&b, true);
	assert_complains(&b, book_complete(&b, e, IBV_WC_RETRY_EXC_ERR),
			 WRONG_STATUS, "RETRY_EXC_ERR (12");
	assert_ptr_equal(b.e, e);
	/* settled all the same: it is not lost as well */
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	book_close(&b);

	book_open(&b);
	e = book_send(&b, true);
	ledger_accept(e, VERBS_STATUS_BIT(IBV_WC_RETRY_EXC_ERR));
	assert_complains(&b, book_complete(&b, e, IBV_WC_SUCCESS), WRONG_STATUS,
			 "must be RETRY_EXC_ERR");
	book_close(&b);
}

static void test_any_status(void **state)
{
	struct book b;
	struct ledger_entry *e;

	book_open(&b);
	e = book_send(&b, true);
	ledger_accept(e, LEDGER_ACCEPT_ANY);
	assert_int_equal(book_complete(&b, e, IBV_WC_GENERAL_ERR), 0);
	book_close(&b);
}

/* Behind a failure everything is flushed, unsignaled too (CMP-25, CMP-27). */
static void test_flush(void **state)
{
	struct book b;
	struct ledger_entry *e[5], *r;

	book_open(&b);
	r = book_recv(&b);
	e[0] = book_send(&b, false);
	for (int i = 1; i < 5; i++)
		e[i] = book_send(&b, i != 3);
	ledger_accept(e[1], VERBS_STATUS_BIT(IBV_WC_RNR_RETRY_EXC_ERR));
	assert_int_equal(book_complete(&b, e[1], IBV_WC_RNR_RETRY_EXC_ERR), 0);
	assert_int_equal(e[0]->state, LEDGER_SILENT);
	/* 2, 3 (unsignaled), 4, and the QP's own receive (CMP-26) */
	assert_int_equal(ledger_queue_owed(b.sq), 3);
	assert_int_equal(ledger_queue_owed(b.rq), 1);
	assert_int_equal(book_complete(&b, e[2], IBV_WC_WR_FLUSH_ERR), 0);
	assert_complains(&b, book_complete(&b, e[4], IBV_WC_WR_FLUSH_ERR),
			 OUT_OF_ORDER, "before #3");
	assert_int_equal(book_complete(&b, e[3], IBV_WC_WR_FLUSH_ERR), 0);
	assert_int_equal(book_complete(&b, r, IBV_WC_WR_FLUSH_ERR), 0);
	assert_true(ledger_queue_failed(b.sq));
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	/* posted in ERR: owed, unsignaled too */
	book_send(&b, false);
	assert_complains(&b, ledger_balance(b.l, &b.c), LOST, "unsignaled");
	book_close(&b);
}

static void test_success_behind_failure(void **state)
{
	struct book b;
	struct ledger_entry *bad, *later;

	book_open(&b);
	bad = book_send(&b, true);
	later = book_send(&b, true);
	ledger_accept(bad, VERBS_STATUS_BIT(IBV_WC_REM_ACCESS_ERR));
	assert_int_equal(book_complete(&b, bad, IBV_WC_REM_ACCESS_ERR), 0);
	assert_complains(&b, book_complete(&b, later, IBV_WC_SUCCESS),
			 WRONG_STATUS, "behind the failed #0");
	book_close(&b);
}

/* From SQE to RTS: what is posted then is no longer behind the error; but not
 * while a flush is still to come. */
static void test_recovered(void **state)
{
	struct book b;
	struct ledger_entry *bad, *later;

	book_open(&b);
	bad = book_send(&b, true);
	later = book_send(&b, false);
	ledger_accept(bad, VERBS_STATUS_BIT(IBV_WC_LOC_PROT_ERR));
	assert_int_equal(book_complete(&b, bad, IBV_WC_LOC_PROT_ERR), 0);
	ledger_recovered(b.sq);
	assert_true(ledger_queue_failed(b.sq));
	assert_int_equal(ledger_queue_owed(b.sq), 1);
	assert_int_equal(book_complete(&b, later, IBV_WC_WR_FLUSH_ERR), 0);
	ledger_recovered(b.sq);
	assert_false(ledger_queue_failed(b.sq));
	later = book_send(&b, true);
	assert_int_equal(book_complete(&b, later, IBV_WC_SUCCESS), 0);
	later = book_send(&b, true);
	assert_complains(&b, book_complete(&b, later, IBV_WC_WR_FLUSH_ERR),
			 WRONG_STATUS, "");
	book_close(&b);
}

/* An unsignaled send that fails gives a completion (CMP-05). */
static void test_unsignaled_failure(void **state)
{
	struct book b;
	struct ledger_entry *e;

	book_open(&b);
	e = book_send(&b, false);
	ledger_accept(e, VERBS_STATUS_BIT(IBV_WC_REM_ACCESS_ERR));
	assert_int_equal(book_complete(&b, e, IBV_WC_REM_ACCESS_ERR), 0);
	assert_int_equal(e->state, LEDGER_DONE);
	book_close(&b);
}

/* ... and one that succeeds gives none (CMP-04). */
static void test_unsignaled_success(void **state)
{
	struct book b;

	book_open(&b);
	assert_complains(
		&b, book_complete(&b, book_send(&b, false), IBV_WC_SUCCESS),
		WRONG_COUNT, "it is unsignaled");
	book_close(&b);
}

static void test_sig_all(void **state)
{
	struct ledger_queue_spec spec = {
		.kind = WRID_SQ,
		.qp_num = QPN,
		.cq = CQ,
		.entries = 4,
		.sig_all = true,
		.qp_type = IBV_QPT_RC,
	};
	struct book b;

	book_open(&b);
	assert_int_equal(ledger_queue_open(b.l, &spec, &b.sq), 0);
	book_send(&b, false);
	assert_int_equal(ledger_owed(b.l), 1);
	book_close(&b);
}

static void test_told_to_err(void **state)
{
	struct book b;
	struct ledger_entry *quiet, *marker, *r[2];

	book_open(&b);
	r[0] = book_recv(&b);
	quiet = book_send(&b, false);
	ledger_flush_expected(b.sq);
	ledger_flush_expected(b.rq);
	/* it may have been executed before: nothing is owed for it alone */
	assert_int_equal(ledger_queue_owed(b.sq), 0);
	marker = book_send(&b, false);
	assert_int_equal(ledger_queue_owed(b.sq), 1);
	r[1] = book_recv(&b);
	assert_int_equal(ledger_queue_owed(b.rq), 2);
	assert_int_equal(book_complete(&b, quiet, IBV_WC_WR_FLUSH_ERR), 0);
	assert_int_equal(book_complete(&b, marker, IBV_WC_WR_FLUSH_ERR), 0);
	/* a receive that had been used comes with its own status first */
	assert_int_equal(book_complete(&b, r[0], IBV_WC_SUCCESS), 0);
	assert_complains(&b, ledger_balance(b.l, &b.c), LOST, "rq #1");
	assert_int_equal(book_complete(&b, r[1], IBV_WC_WR_FLUSH_ERR), 0);
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	book_close(&b);
}

static void test_wrong_length(void **state)
{
	struct book b;
	struct ibv_wc wc;

	book_open(&b);
	wc = book_wc(book_recv(&b), IBV_WC_SUCCESS);
	wc.byte_len = 101;
	assert_complains(&b, book_take(&b, &wc), WRONG_LENGTH,
			 "byte_len 101, its room is 100");
	book_close(&b);
}

static void test_wrong_opcode(void **state)
{
	struct book b;
	struct ibv_wc wc;

	book_open(&b);
	wc = book_wc(book_recv(&b), IBV_WC_SUCCESS);
	wc.opcode = IBV_WC_SEND;
	assert_complains(&b, book_take(&b, &wc), WRONG_FIELD, "opcode SEND");
	wc = book_wc(book_send(&b, true), IBV_WC_SUCCESS);
	wc.opcode = IBV_WC_RDMA_WRITE;
	assert_complains(&b, book_take(&b, &wc), WRONG_FIELD, "must be SEND");
	book_close(&b);
}

/* On an error completion the other fields are garbage, and not looked at. */
static void test_error_fields_ignored(void **state)
{
	struct book b;
	struct ledger_entry *e;
	struct ibv_wc wc;

	book_open(&b);
	e = book_recv(&b);
	ledger_accept(e, VERBS_STATUS_BIT(IBV_WC_LOC_LEN_ERR));
	wc = book_wc(e, IBV_WC_LOC_LEN_ERR);
	wc.opcode = (enum ibv_wc_opcode)77;
	wc.byte_len = UINT32_MAX;
	assert_int_equal(book_take(&b, &wc), 0);
	book_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_stale_wraps),
		cmocka_unit_test(test_wrong_status),
		cmocka_unit_test(test_any_status),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_success_behind_failure),
		cmocka_unit_test(test_recovered),
		cmocka_unit_test(test_unsignaled_failure),
		cmocka_unit_test(test_unsignaled_success),
		cmocka_unit_test(test_sig_all),
		cmocka_unit_test(test_told_to_err),
		cmocka_unit_test(test_wrong_length),
		cmocka_unit_test(test_wrong_opcode),
		cmocka_unit_test(test_error_fields_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
