// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The budget of what is under way to one address: who shares it, who waits for
 * it, and who gets on without it.  An adapter of which only lists and flow are
 * there; what a queue pair has out is set by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/engine/requester.h"
#include "device/world/adapter_private.h"

enum {
	MTU_BYTES = 1024,
	/* A packet as it is charged: with what the kernel adds. */
	CHARGE_BYTES = MTU_BYTES + 256,
	BUDGET_PACKETS = 6,
	OLD_NS = 10 * 1000 * 1000,
	QPS = 4,
};

struct flow_table {
	struct sd_adapter a;
	struct idtable_slot slots[QPS];
	struct world_qp qps[QPS];
};

/* Nothing here completes anything, or has a CQ. */
void front_complete(struct sd_cq *cq, const struct sd_cqe *cqe)
{
	(void)cq;
	(void)cqe;
	fail_msg("a completion");
}

void front_event(struct world_qp *q, enum ibv_event_type type)
{
	(void)q;
	(void)type;
	fail_msg("an event");
}

void front_srq_limit(struct sd_srq *srq)
{
	(void)srq;
	fail_msg("a limit");
}

bool front_cq_failed(const struct sd_cq *cq)
{
	(void)cq;
	return false;
}

static int table_setup(void **state)
{
	static struct flow_table t;

	t = (struct flow_table){ .a.now_ns = 1000 };
	idtable_init(&t.a.qps, t.slots, QPS, ADAPTER_QPN_BITS);
	TAILQ_INIT(&t.a.runnable);
	TAILQ_INIT(&t.a.answering);
	/* A quarter of the room is left alone, and half a packet is none. */
	flow_init(&t.a.flow, (BUDGET_PACKETS * CHARGE_BYTES + 600) / 3 * 4);
	*state = &t;
	return 0;
}

static int table_teardown(void **state)
{
	struct flow_table *t = *state;

	for (unsigned i = 0; i < QPS; i++)
		flow_leave(&t->a, &t->qps[i]);
	for (unsigned i = 0; i < FLOW_BUCKETS; i++)
		assert_true(SLIST_EMPTY(&t->a.flow.buckets[i]));
	return 0;
}

/* Queue pair @i sends to the peer of that number. */
static struct world_qp *table_join(struct flow_table *t, unsigned i,
				   uint8_t peer)
{
	struct world_qp *q = &t->qps[i];
	uint32_t qpn;

	q->peer.gid[15] = peer;
	q->qp.type = IBV_QPT_RC;
	q->qp.state = IBV_QPS_RTS;
	q->qp.mtu_bytes = MTU_BYTES;
	/* Close to the end: what is out is counted across it. */
	q->qp.req.unacked = q->qp.req.next = psn_make(0xfffffe);
	assert_int_equal(idtable_add(&t->a.qps, q, &qpn), 0);
	flow_join(&t->a.flow, q);
	assert_non_null(q->destination);
	return q;
}

/* @q sends @packets, the last of which asks for an answer. */
static void table_send(struct flow_table *t, struct world_qp *q,
		       uint32_t packets)
{
	q->qp.req.next = psn_add(q->qp.req.next, packets);
	q->qp.req.since_ack_request = 0;
	flow_settle(&t->a, q);
}

static void table_acknowledge(struct flow_table *t, struct world_qp *q,
			      uint32_t packets)
{
	q->qp.req.unacked = psn_add(q->qp.req.unacked, packets);
	flow_settle(&t->a, q);
}

static uint32_t table_window(const struct flow_table *t, struct world_qp *q)
{
	flow_open(&t->a.flow, q);
	return q->qp.window;
}

/* What the adapter does with the first in its list. */
static struct world_qp *table_run(struct flow_table *t)
{
	struct world_qp *q = TAILQ_FIRST(&t->a.runnable);

	if (q) {
		TAILQ_REMOVE(&t->a.runnable, q, runnable_link);
		q->runnable = false;
	}
	return q;
}

static void one_pair_has_it_all(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *q = table_join(t, 0, 1);

	assert_int_equal(table_window(t, q), BUDGET_PACKETS);
	table_send(t, q, 2);
	/* The window counts what is out as well. */
	assert_int_equal(table_window(t, q), BUDGET_PACKETS);
	table_send(t, q, 4);
	assert_int_equal(table_window(t, q), BUDGET_PACKETS);
	assert_int_equal(q->charged, BUDGET_PACKETS * CHARGE_BYTES);
	table_acknowledge(t, q, 6);
	assert_int_equal(q->charged, 0);
	assert_int_equal(q->destination->charged, 0);
}

static void one_address_is_shared(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *second = table_join(t, 1, 1);
	struct world_qp *other = table_join(t, 2, 2);

	assert_ptr_equal(first->destination, second->destination);
	table_send(t, first, 4);
	assert_int_equal(table_window(t, second), BUDGET_PACKETS - 4);
	table_send(t, second, 2);
	assert_int_equal(table_window(t, first), 4);
	assert_int_equal(table_window(t, second), 2);
	assert_ptr_not_equal(other->destination, first->destination);
	assert_int_equal(table_window(t, other), BUDGET_PACKETS);
}

/* A budget below one packet still lets one out at a time. */
static void one_packet_always_goes(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *q = table_join(t, 0, 1);

	t->a.flow.budget = CHARGE_BYTES / 2;
	assert_int_equal(table_window(t, q), 1);
	table_send(t, q, 1);
	assert_int_equal(table_window(t, q), 1);
}

/* Packets that ask for no answer would stay out for ever. */
static void one_more_asks_for_the_answer(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *second = table_join(t, 1, 1);

	table_send(t, first, BUDGET_PACKETS - 2);
	table_send(t, second, 2);
	assert_int_equal(table_window(t, second), 2);
	second->qp.req.since_ack_request = 2;
	assert_int_equal(table_window(t, second), 3);
}

static void other_links_have_no_budget(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *q = table_join(t, 0, 1);

	assert_true(q->by_socket); /* until it is known */
	q->by_socket = false;
	assert_int_equal(table_window(t, q), REQ_WINDOW_PACKETS);
	table_send(t, q, 100);
	assert_int_equal(q->charged, 0);
	/* And it turns out to go by UDP again. */
	q->by_socket = true;
	flow_settle(&t->a, q);
	assert_int_equal(q->charged, 100 * CHARGE_BYTES);
}

static void who_waits_runs_when_there_is_room(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *second = table_join(t, 1, 1);
	struct world_qp *third = table_join(t, 2, 1);

	table_send(t, first, BUDGET_PACKETS + 1);
	assert_int_equal(table_window(t, second), 0);
	assert_int_equal(table_window(t, third), 0);
	flow_wait(&t->a, second);
	flow_wait(&t->a, third);
	flow_wait(&t->a, second); /* already there */
	assert_true(second->flow_waits && third->flow_waits);
	flow_settle(&t->a, first); /* nothing has changed */
	assert_null(table_run(t));

	/* In the order of their coming, one at a time. */
	table_acknowledge(t, first, 2);
	assert_ptr_equal(table_run(t), second);
	assert_false(second->flow_waits);
	assert_null(table_run(t));
	assert_int_equal(table_window(t, second), 1);
	table_send(t, second, 1);
	table_acknowledge(t, first, 1);
	assert_ptr_equal(table_run(t), third);
	assert_null(table_run(t));
}

/* Its own answer wakes it, and one with a whole window waits for nothing. */
static void who_has_something_out_does_not_wait(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *second = table_join(t, 1, 1);

	table_send(t, second, 1);
	table_send(t, first, BUDGET_PACKETS);
	assert_int_equal(table_window(t, second), 1);
	flow_wait(&t->a, second);
	assert_false(second->flow_waits);

	table_acknowledge(t, second, 1);
	second->by_socket = false;
	assert_int_equal(table_window(t, second), REQ_WINDOW_PACKETS);
	flow_wait(&t->a, second);
	assert_false(second->flow_waits);
	assert_int_equal(t->a.flow.check_ns, 0);
}

/* What a silent peer was sent is in no buffer any more. */
static void old_charges_end(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *silent = table_join(t, 0, 1);
	struct world_qp *waits = table_join(t, 1, 1);

	table_send(t, silent, BUDGET_PACKETS + 1);
	assert_int_equal(table_window(t, waits), 0);
	flow_wait(&t->a, waits);
	assert_int_equal(t->a.flow.check_ns, t->a.now_ns + OLD_NS);

	t->a.now_ns += OLD_NS - 1;
	flow_check(&t->a);
	assert_null(table_run(t));
	assert_int_equal(silent->charged, (BUDGET_PACKETS + 1) * CHARGE_BYTES);

	t->a.now_ns++;
	flow_check(&t->a);
	assert_int_equal(silent->charged, 0);
	assert_ptr_equal(table_run(t), waits);
	assert_int_equal(table_window(t, waits), BUDGET_PACKETS);

	/* Nobody waits: at the next time it is found that none is needed. */
	t->a.now_ns += OLD_NS;
	flow_check(&t->a);
	assert_int_equal(t->a.flow.check_ns, 0);
}

/* A charge that was renewed meanwhile is none of the old ones. */
static void new_charges_stay(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *waits = table_join(t, 1, 1);

	table_send(t, first, BUDGET_PACKETS + 1);
	(void)table_window(t, waits);
	flow_wait(&t->a, waits);
	t->a.now_ns += OLD_NS / 2;
	table_send(t, first, 1);
	t->a.now_ns += OLD_NS / 2;
	flow_check(&t->a);
	assert_null(table_run(t));
	assert_int_equal(first->charged, (BUDGET_PACKETS + 2) * CHARGE_BYTES);
	assert_int_equal(t->a.flow.check_ns, t->a.now_ns + OLD_NS);
}

static void who_leaves_gives_back(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *second = table_join(t, 1, 1);
	struct world_qp *third = table_join(t, 2, 1);

	table_send(t, first, BUDGET_PACKETS + 1);
	(void)table_window(t, second);
	(void)table_window(t, third);
	flow_wait(&t->a, second);
	flow_wait(&t->a, third);

	/* From the middle of the line, and from what is charged. */
	flow_leave(&t->a, second);
	assert_false(second->flow_waits);
	assert_null(second->destination);
	assert_null(table_run(t));
	flow_leave(&t->a, first);
	assert_int_equal(first->charged, 0);
	assert_ptr_equal(table_run(t), third);
	assert_int_equal(third->destination->users, 1);
	assert_int_equal(table_window(t, third), BUDGET_PACKETS);

	/* Who has left has no budget, and is not asked for one. */
	assert_int_equal(table_window(t, first), REQ_WINDOW_PACKETS);
	flow_settle(&t->a, first);
	flow_wait(&t->a, first);
	assert_false(first->flow_waits);
}

/* What is put into the adapter's list is in no line. */
static void who_runs_does_not_wait(void **state)
{
	struct flow_table *t = *state;
	struct world_qp *first = table_join(t, 0, 1);
	struct world_qp *second = table_join(t, 1, 1);

	table_send(t, first, BUDGET_PACKETS + 1);
	(void)table_window(t, second);
	flow_wait(&t->a, second);
	adapter_set_runnable(&t->a, second); /* by a post, say */
	assert_false(second->flow_waits);
	flow_wait(&t->a, second);
	assert_false(second->flow_waits);
	assert_ptr_equal(table_run(t), second);
}

#define FLOW_TEST(f) \
	cmocka_unit_test_setup_teardown(f, table_setup, table_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FLOW_TEST(one_pair_has_it_all),
		FLOW_TEST(one_address_is_shared),
		FLOW_TEST(one_packet_always_goes),
		FLOW_TEST(one_more_asks_for_the_answer),
		FLOW_TEST(other_links_have_no_budget),
		FLOW_TEST(who_waits_runs_when_there_is_room),
		FLOW_TEST(who_has_something_out_does_not_wait),
		FLOW_TEST(old_charges_end),
		FLOW_TEST(new_charges_stay),
		FLOW_TEST(who_leaves_gives_back),
		FLOW_TEST(who_runs_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
