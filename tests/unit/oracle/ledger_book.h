/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One queue pair's ledger with both its queues, for the ledger's tests. */
#ifndef TESTS_UNIT_ORACLE_LEDGER_BOOK_H
#define TESTS_UNIT_ORACLE_LEDGER_BOOK_H

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

static inline struct ledger_queue *
book_queue(struct book *b, enum wrid_queue kind, uint32_t generation)
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

static inline void book_open(struct book *b)
{
	*b = (struct book){ .l = ledger_create(8) };
	assert_non_null(b->l);
	b->sq = book_queue(b, WRID_SQ, 2);
	b->rq = book_queue(b, WRID_RQ, 2);
}

static inline void book_close(struct book *b)
{
	ledger_destroy(b->l);
}

static inline struct ledger_entry *book_send(struct book *b, bool signaled)
{
	struct ledger_post post = { .opcode = IBV_WR_SEND,
				    .signaled = signaled,
				    .len = 100 };
	struct ledger_entry *e;

	assert_int_equal(ledger_post(b->sq, &post, &e), 0);
	return e;
}

static inline struct ledger_entry *book_recv(struct book *b)
{
	struct ledger_post post = { .len = 100 };
	struct ledger_entry *e;

	assert_int_equal(ledger_post(b->rq, &post, &e), 0);
	return e;
}

static inline struct ibv_wc book_wc(const struct ledger_entry *e,
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

static inline int book_take(struct book *b, const struct ibv_wc *wc)
{
	struct ledger_source at = { .end = 0, .cq = CQ };

	return ledger_complete(b->l, &at, wc, &b->e, &b->c);
}

static inline int book_complete(struct book *b, const struct ledger_entry *e,
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

#endif
