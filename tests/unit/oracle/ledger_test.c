// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ledger: silent on clean histories over many seeds; whose completion it
 * is, whether it was owed, and in which order. */
#include "tests/unit/oracle/ledger_book.h"

static void test_one(void **state)
{
	struct book b;
	struct ledger_entry *e;

	book_open(&b);
	e = book_send(&b, true);
	assert_int_equal(ledger_owed(b.l), 1);
	assert_int_equal(book_complete(&b, e, IBV_WC_SUCCESS), 0);
	assert_ptr_equal(b.e, e);
	assert_int_equal(e->state, LEDGER_DONE);
	assert_int_equal(e->wc.byte_len, 100);
	assert_int_equal(ledger_owed(b.l), 0);
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	book_close(&b);
}

/* Posts and completions in random bunches, a third of the sends unsignaled. */
static void clean_history(uint64_t seed, uint64_t first)
{
	uint64_t done[2] = { first, first };
	struct book b;
	struct prng p;

	prng_seed(&p, seed);
	book_open(&b);
	b.sq->head = b.sq->tail = b.sq->walked = first;
	b.rq->head = b.rq->tail = b.rq->walked = first;
	for (int i = 0; i < 4000; i++) {
		bool send = prng_below(&p, 2);
		struct ledger_queue *q = send ? b.sq : b.rq;

		if (prng_below(&p, 2) && q->head - q->tail < ENTRIES) {
			if (send)
				book_send(&b, prng_below(&p, 3) > 0);
			else
				book_recv(&b);
			continue;
		}
		/* the next that gives a completion */
		while (done[send] < q->head) {
			struct ledger_entry *e =
				ledger_queue_entry(q, done[send]++);

			if (!e->signaled)
				continue;
			assert_int_equal(book_complete(&b, e, IBV_WC_SUCCESS),
					 0);
			break;
		}
		/* only unsignaled ones fill it: a marker lets go of them */
		if (send && q->head - q->tail == ENTRIES && !q->signaled)
			break;
	}
	book_close(&b);
}

static void test_clean(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
		clean_history(seed, 0);
}

static void test_sequence_wraps(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		clean_history(seed, WRID_SEQUENCES - 100);
}

static void test_lost(void **state)
{
	struct book b;
	struct ledger_entry *e;

	book_open(&b);
	e = book_send(&b, true);
	book_recv(&b); /* posted and unused: nothing is owed for it */
	assert_complains(&b, ledger_balance(b.l, &b.c), LOST,
			 "a qp3 sq #0 gen 2 (SEND, 100 bytes, signaled) never");
	assert_int_equal(b.c.wr_id, e->wr_id);
	book_close(&b);
}

static void test_duplicated(void **state)
{
	struct book b;
	struct ledger_entry *e;

	book_open(&b);
	e = book_send(&b, true);
	assert_int_equal(book_complete(&b, e, IBV_WC_SUCCESS), 0);
	assert_complains(&b, book_complete(&b, e, IBV_WC_WR_FLUSH_ERR),
			 DUPLICATED,
			 "again with WR_FLUSH_ERR, first with SUCCESS");
	assert_null(b.e);
	assert_int_equal(ledger_queue_counts(b.sq)->complaints, 1);
	book_close(&b);
}

static void test_duplicated_long_ago(void **state)
{
	struct book b;
	struct ibv_wc wc;

	book_open(&b);
	wc = book_wc(book_recv(&b), IBV_WC_SUCCESS);
	assert_int_equal(book_take(&b, &wc), 0);
	for (int i = 0; i < 2 * ENTRIES; i++)
		assert_int_equal(
			book_complete(&b, book_recv(&b), IBV_WC_SUCCESS), 0);
	assert_complains(&b, book_take(&b, &wc), DUPLICATED, "long after");
	book_close(&b);
}

static void test_silent_then_completed(void **state)
{
	struct book b;
	struct ledger_entry *quiet, *loud;

	book_open(&b);
	quiet = book_send(&b, false);
	loud = book_send(&b, true);
	assert_int_equal(book_complete(&b, loud, IBV_WC_SUCCESS), 0);
	assert_int_equal(quiet->state, LEDGER_SILENT);
	assert_int_equal(ledger_queue_counts(b.sq)->silent, 1);
	assert_complains(&b, book_complete(&b, quiet, IBV_WC_WR_FLUSH_ERR),
			 DUPLICATED, "after #1 had settled it");
	book_close(&b);
}

static void test_early(void **state)
{
	struct book b;
	struct ledger_entry *e;
	struct ibv_wc wc;
	struct wrid id;

	book_open(&b);
	e = book_send(&b, true);
	wc = book_wc(e, IBV_WC_SUCCESS);
	assert_int_equal(wrid_decode(wc.wr_id, &id), 0);
	id.sequence++;
	wc.wr_id = wrid_encode(&id);
	assert_complains(&b, book_take(&b, &wc), EARLY, "before it was posted");
	assert_int_equal(ledger_owed(b.l), 1);
	book_close(&b);
}

static void test_out_of_order(void **state)
{
	struct book b;
	struct ledger_entry *e[4];

	book_open(&b);
	for (int i = 0; i < 4; i++)
		e[i] = book_send(&b, true);
	assert_int_equal(book_complete(&b, e[0], IBV_WC_SUCCESS), 0);
	assert_complains(&b, book_complete(&b, e[2], IBV_WC_SUCCESS),
			 OUT_OF_ORDER, "before #1, which is still owed");
	/* told once; both are settled */
	assert_ptr_equal(b.e, e[2]);
	assert_int_equal(book_complete(&b, e[3], IBV_WC_SUCCESS), 0);
	assert_int_equal(ledger_owed(b.l), 1);
	assert_int_equal(book_complete(&b, e[1], IBV_WC_SUCCESS), 0);
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	book_close(&b);
}

/* Of a queue that several threads post to: any order, each once. */
static void test_unordered(void **state)
{
	struct book b;
	struct ledger_entry *e[3], *r[2];

	book_open(&b);
	ledger_queue_unordered(b.sq);
	ledger_queue_unordered(b.rq);
	for (int i = 0; i < 3; i++)
		e[i] = book_send(&b, true);
	for (int i = 0; i < 2; i++)
		r[i] = book_recv(&b);
	assert_int_equal(book_complete(&b, e[2], IBV_WC_SUCCESS), 0);
	assert_int_equal(book_complete(&b, r[1], IBV_WC_SUCCESS), 0);
	assert_int_equal(book_complete(&b, e[0], IBV_WC_SUCCESS), 0);
	assert_complains(&b, book_complete(&b, e[2], IBV_WC_SUCCESS),
			 DUPLICATED, "completed again");
	assert_int_equal(book_complete(&b, r[0], IBV_WC_SUCCESS), 0);
	assert_int_equal(ledger_owed(b.l), 1);
	assert_int_equal(ledger_balance(b.l, &b.c), -EBADMSG);
	assert_int_equal(book_complete(&b, e[1], IBV_WC_SUCCESS), 0);
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	book_close(&b);
}

static void test_receives_out_of_order(void **state)
{
	struct book b;
	struct ledger_entry *first, *second;

	book_open(&b);
	first = book_recv(&b);
	second = book_recv(&b);
	assert_complains(&b, book_complete(&b, second, IBV_WC_SUCCESS),
			 OUT_OF_ORDER, "before #0");
	assert_int_equal(book_complete(&b, first, IBV_WC_SUCCESS), 0);
	book_close(&b);
}

static void test_foreign(void **state)
{
	struct ledger_source elsewhere = { .end = 1, .cq = CQ };
	struct ledger_source other_cq = { .end = 0, .cq = CQ + 1 };
	struct wrid stranger = { 2, 0, QP + 1, WRID_SQ, 0 };
	struct wrid future = { 3, 0, QP, WRID_SQ, 0 };
	struct ledger_entry *e;
	struct book b;
	struct ibv_wc wc;

	book_open(&b);
	e = book_send(&b, true);
	wc = book_wc(e, IBV_WC_SUCCESS);
	wc.wr_id ^= 1 << 20;
	assert_complains(&b, book_take(&b, &wc), FOREIGN, "no id of ours");
	wc.wr_id = wrid_encode(&stranger);
	assert_complains(&b, book_take(&b, &wc), FOREIGN, "never opened");
	wc.wr_id = wrid_encode(&future);
	assert_complains(&b, book_take(&b, &wc), FOREIGN, "never opened");
	wc.wr_id = e->wr_id;
	assert_complains(&b, ledger_complete(b.l, &elsewhere, &wc, &b.e, &b.c),
			 FOREIGN, "at end b");
	assert_complains(&b, ledger_complete(b.l, &other_cq, &wc, &b.e, &b.c),
			 FOREIGN, "on cq 6, but its cq is 5");
	e = book_send(&b, true);
	wc = book_wc(e, IBV_WC_SUCCESS);
	wc.qp_num++;
	assert_complains(&b, book_take(&b, &wc), FOREIGN, "must be 0x111");
	book_close(&b);
}

static void test_refused(void **state)
{
	struct ledger_entry *e[4];
	struct book b;

	book_open(&b);
	for (int i = 0; i < 4; i++)
		e[i] = book_send(&b, true);
	ledger_refuse(e[2]);
	assert_int_equal(ledger_owed(b.l), 2);
	assert_int_equal(ledger_queue_counts(b.sq)->refused, 2);
	assert_int_equal(book_complete(&b, e[0], IBV_WC_SUCCESS), 0);
	assert_complains(&b, book_complete(&b, e[3], IBV_WC_SUCCESS), FOREIGN,
			 "its post was refused");
	assert_int_equal(book_complete(&b, e[1], IBV_WC_SUCCESS), 0);
	/* the queue goes on behind them */
	assert_int_equal(book_complete(&b, book_send(&b, true), IBV_WC_SUCCESS),
			 0);
	assert_int_equal(ledger_balance(b.l, &b.c), 0);
	book_close(&b);
}

static void test_srq(void **state)
{
	struct ledger_queue_spec spec = {
		.kind = WRID_SRQ,
		.qp_index = 1,
		.entries = 8,
		.qp_type = IBV_QPT_RC,
	};
	struct ledger_post post = { .len = 100 };
	struct ledger_entry *e[3];
	struct ibv_wc wc;
	struct book b;

	book_open(&b);
	assert_int_equal(ledger_queue_open(b.l, &spec, &b.rq), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(ledger_post(b.rq, &post, &e[i]), 0);
	/* any order, any QP of the end */
	assert_int_equal(book_complete(&b, e[2], IBV_WC_SUCCESS), 0);
	assert_int_equal(book_complete(&b, e[0], IBV_WC_SUCCESS), 0);
	assert_complains(&b, book_complete(&b, e[2], IBV_WC_SUCCESS),
			 DUPLICATED, "again");
	wc = book_wc(e[1], IBV_WC_SUCCESS);
	wc.qp_num = 0x999;
	assert_complains(&b, book_take(&b, &wc), FOREIGN, "no queue pair of");
	assert_int_equal(ledger_owed(b.l), 0);
	book_close(&b);
}

static void test_full(void **state)
{
	struct ledger_post post = { .opcode = IBV_WR_SEND };
	struct ledger_entry *e, *last = NULL;
	struct book b;

	book_open(&b);
	for (int i = 0; i < ENTRIES; i++)
		last = book_send(&b, false);
	assert_int_equal(ledger_post(b.sq, &post, &e), -ENOSPC);
	ledger_refuse(last);
	assert_int_equal(ledger_post(b.sq, &post, &e), -ENOSPC);
	book_close(&b);
}

static void test_limits(void **state)
{
	struct ledger_queue_spec spec = { .kind = WRID_SQ,
					  .qp_index = 8,
					  .entries = 4 };
	struct ledger_queue *q;
	struct book b;

	book_open(&b);
	assert_int_equal(ledger_queue_open(b.l, &spec, &q), -EINVAL);
	spec.qp_index = QP;
	assert_int_equal(ledger_queue_open(b.l, &spec, &q), -EEXIST);
	spec.qp_index = 1;
	spec.end = 2;
	assert_int_equal(ledger_queue_open(b.l, &spec, &q), -EINVAL);
	spec.end = 1;
	spec.entries = 0;
	assert_int_equal(ledger_queue_open(b.l, &spec, &q), -EINVAL);
	assert_null(ledger_queue_find(b.l, 1, WRID_SQ, 1));
	assert_null(ledger_queue_find(b.l, 0, WRID_SQ, 999));
	assert_ptr_equal(ledger_queue_find(b.l, 0, WRID_SQ, QP), b.sq);
	book_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_sequence_wraps),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_duplicated),
		cmocka_unit_test(test_duplicated_long_ago),
		cmocka_unit_test(test_silent_then_completed),
		cmocka_unit_test(test_early),
		cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_unordered),
		cmocka_unit_test(test_receives_out_of_order),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_srq),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
