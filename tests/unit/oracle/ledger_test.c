// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The ledger: silent on clean histories over many seeds, and every complaint
 * provoked by name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"
#include "suite/oracle/ledger.h"
#include "suite/oracle/ledger_inner.h"

enum { QP = 3, QPN = 0x111, CQ = 5, ENTRIES = 64 };

struct book {
	struct ledger *l;
	struct ledger_queue *sq, *rq;
	struct ledger_entry *e; /* of the last completion */
	struct complaint c;
};

static struct ledger_queue *book_queue(struct book *b, enum wrid_queue kind,
				       uint32_t generation)
{
	struct ledger_queue_spec spec = {
		.end = 0,
		.qp_index = QP,
		.generation = generation,
		.kind = kind,
		.qp_type = IBV_QPT_RC,
		.qp_num = QPN,
		.cq = CQ,
		.entries = ENTRIES,
	};
	struct ledger_queue *q;

	assert_int_equal(ledger_queue_open(b->l, &spec, &q), 0);
	return q;
}

static void book_open(struct book *b)
{
	*b = (struct book){ .l = ledger_create(8) };
	assert_non_null(b->l);
	b->sq = book_queue(b, WRID_SQ, 2);
	b->rq = book_queue(b, WRID_RQ, 2);
}

static void book_close(struct book *b)
{
	ledger_destroy(b->l);
}

static struct ledger_entry *book_send(struct book *b, bool signaled)
{
	struct ledger_post post = { .opcode = IBV_WR_SEND,
				    .signaled = signaled,
				    .len = 100 };
	struct ledger_entry *e;

	assert_int_equal(ledger_post(b->sq, &post, &e), 0);
	return e;
}

static struct ledger_entry *book_recv(struct book *b)
{
	struct ledger_post post = { .len = 100 };
	struct ledger_entry *e;

	assert_int_equal(ledger_post(b->rq, &post, &e), 0);
	return e;
}

static struct ibv_wc book_wc(const struct ledger_entry *e,
			     enum ibv_wc_status status)
{
	bool send = e->queue->spec.kind == WRID_SQ;

	return (struct ibv_wc){
		.wr_id = e->wr_id,
		.status = status,
		.opcode = send ? verbs_wc_opcode_of(e->opcode) : IBV_WC_RECV,
		.byte_len = (uint32_t)e->len,
		.qp_num = QPN,
	};
}

static int book_take(struct book *b, const struct ibv_wc *wc)
{
	struct ledger_source at = { .end = 0, .cq = CQ };

	return ledger_complete(b->l, &at, wc, &b->e, &b->c);
}

static int book_complete(struct book *b, const struct ledger_entry *e,
			 enum ibv_wc_status status)
{
	struct ibv_wc wc = book_wc(e, status);

	return book_take(b, &wc);
}

#define assert_complains(b, call, kind, words)                    \
	do {                                                      \
		assert_int_equal(call, -EBADMSG);                 \
		assert_int_equal((b)->c.finding, VB_FIND_##kind); \
		if (!strstr((b)->c.text, words))                  \
			print_message("%s\n", (b)->c.text);       \
		assert_non_null(strstr((b)->c.text, words));      \
	} while (0)

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

static void test_print(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct book b;

	book_open(&b);
	book_send(&b, true);
	book_send(&b, false);
	book_recv(&b);
	ledger_print(b.l, 1, &out);
	assert_non_null(strstr(strbuf_text(&out), "a qp3 sq gen 2"));
	assert_non_null(strstr(strbuf_text(&out), "outstanding 2, owed 1"));
	assert_non_null(strstr(strbuf_text(&out), "owed a qp3 sq #0"));
	assert_non_null(strstr(strbuf_text(&out), "...\n"));
	assert_non_null(strstr(strbuf_text(&out), "open a qp3 rq #0"));
	strbuf_free(&out);
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
		cmocka_unit_test(test_receives_out_of_order),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_stale),
		cmocka_unit_test(test_stale_wraps),
		cmocka_unit_test(test_wrong_status),
		cmocka_unit_test(test_any_status),
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_success_behind_failure),
		cmocka_unit_test(test_unsignaled_failure),
		cmocka_unit_test(test_unsignaled_success),
		cmocka_unit_test(test_sig_all),
		cmocka_unit_test(test_told_to_err),
		cmocka_unit_test(test_wrong_length),
		cmocka_unit_test(test_wrong_opcode),
		cmocka_unit_test(test_error_fields_ignored),
		cmocka_unit_test(test_srq),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
