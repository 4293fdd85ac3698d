// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What goes wrong on purpose: the status at both ends, what is flushed and in
 * which order, what the wire says (rules/status_matrix.tsv). */
#include "tests/unit/engine/wire_pair.h"

static unsigned error_naks[256];

static bool error_watch(struct wire_pair *p, const struct pair_packet *packet,
			const struct wire_packet *decoded)
{
	(void)p;
	(void)packet;
	if (decoded->opcode == WIRE_RC_ACK)
		error_naks[decoded->aeth.syndrome]++;
	return true;
}

static struct wire_pair *error_pair(struct ibv_qp_attr attr)
{
	struct wire_pair *p = pair_new(attr);

	memset(error_naks, 0, sizeof(error_naks));
	p->passes = error_watch;
	return p;
}

/* S02 */
static void error_receive_too_short(void **state)
{
	struct wire_pair *p = error_pair(pair_attr());

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		pair_recv(&p->end[1], i, 1000, i == 1 ? 499 : 600);
	for (unsigned i = 0; i < 4; i++)
		pair_send(&p->end[0], 10 + i, 0, 500)->signaled = i != 2;
	pair_run(p);
	pair_expect(&p->end[0], 0, 10, IBV_WC_SUCCESS);
	pair_expect(&p->end[0], 1, 11, IBV_WC_REM_INV_REQ_ERR);
	pair_expect(&p->end[0], 2, 12, IBV_WC_WR_FLUSH_ERR);
	pair_expect(&p->end[0], 3, 13, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(p->end[0].cqe_count, 4);
	pair_expect(&p->end[1], 0, 0, IBV_WC_SUCCESS);
	pair_expect(&p->end[1], 1, 1, IBV_WC_LOC_LEN_ERR);
	pair_expect(&p->end[1], 2, 2, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(p->end[1].cqe_count, 3);
	assert_int_equal(p->end[0].qp.state, IBV_QPS_ERR);
	assert_int_equal(p->end[1].qp.state, IBV_QPS_ERR);
	assert_int_equal(error_naks[WIRE_NAK_INVALID_REQUEST], 1);
	pair_free(p);
}

/* S05 */
static void error_receive_memory_is_bad(void **state)
{
	struct wire_pair *p = error_pair(pair_attr());

	(void)state;
	p->end[1].bad_from = 1300;
	p->end[1].bad_to = 1301;
	pair_recv(&p->end[1], 1, 1000, 600);
	pair_send(&p->end[0], 10, 0, 500);
	pair_run(p);
	pair_expect(&p->end[0], 0, 10, IBV_WC_REM_OP_ERR);
	pair_expect(&p->end[1], 0, 1, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(p->end[1].qp.state, IBV_QPS_ERR);
	assert_int_equal(error_naks[WIRE_NAK_REMOTE_OPERATION], 1);
	pair_free(p);
}

/* S07: those before it succeed, the peer stays as it was. */
static void error_send_memory_is_bad(void **state)
{
	struct wire_pair *p = error_pair(pair_attr());

	(void)state;
	p->end[0].bad_from = 5000;
	p->end[0].bad_to = 5001;
	for (unsigned i = 0; i < 4; i++) {
		pair_recv(&p->end[1], i, 1000, 600);
		pair_send(&p->end[0], 10 + i, i == 2 ? 4990 : 0, 500)
			->signaled = false;
	}
	pair_run(p);
	/* Unsignaled ones that succeeded are silent, the failed one is not. */
	assert_int_equal(p->end[0].cqe_count, 2);
	pair_expect(&p->end[0], 0, 12, IBV_WC_LOC_PROT_ERR);
	pair_expect(&p->end[0], 1, 13, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(p->end[1].cqe_count, 2);
	assert_int_equal(p->end[1].qp.state, IBV_QPS_RTS);
	pair_free(p);
}

/* RNR-02: n + 1 attempts, n waits, each not shorter than the code says. */
static void error_rnr_is_counted(void **state)
{
	(void)state;
	for (uint8_t code = 0; code < 32; code += 5) {
		for (uint8_t retries = 0; retries < 7; retries += 2) {
			struct ibv_qp_attr attr = pair_attr();
			struct wire_pair *p;
			uint64_t start_ns;

			attr.min_rnr_timer = code;
			attr.rnr_retry = retries;
			attr.retry_cnt = 0; /* RNR-04: not charged */
			p = error_pair(attr);
			start_ns = p->now_ns;
			pair_send(&p->end[0], 10, 0, 2 * PAIR_MTU);
			pair_send(&p->end[0], 11, 0, 5);
			pair_run(p);
			pair_expect(&p->end[0], 0, 10,
				    IBV_WC_RNR_RETRY_EXC_ERR);
			pair_expect(&p->end[0], 1, 11, IBV_WC_WR_FLUSH_ERR);
			assert_int_equal(error_naks[WIRE_AETH_RNR_NAK | code],
					 retries + 1);
			assert_true(p->now_ns - start_ns >=
				    retries * retry_rnr_ns(code));
			assert_int_equal(p->end[1].qp.state, IBV_QPS_RTS);
			assert_int_equal(p->end[1].cqe_count, 0);
			pair_free(p);
		}
	}
}

/* RNR-01, RNR-03: a late receive heals, and renews the budget. */
static void error_rnr_heals(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p;

	(void)state;
	attr.rnr_retry = 2;
	p = error_pair(attr);
	pair_paint(&p->end[0], 9);
	for (unsigned i = 0; i < 4; i++)
		pair_send(&p->end[0], 10 + i, 100 * i, 300 + i);
	for (unsigned i = 0; i < 4; i++) {
		pair_settle(p);
		assert_int_equal(p->end[1].cqe_count, i);
		pair_wait(p); /* one retry in vain */
		pair_settle(p);
		pair_recv(&p->end[1], i, 1000 * i, 400);
		pair_wait(p);
		pair_settle(p);
	}
	pair_run(p);
	for (unsigned i = 0; i < 4; i++) {
		pair_expect(&p->end[0], i, 10 + i, IBV_WC_SUCCESS);
		pair_expect(&p->end[1], i, i, IBV_WC_SUCCESS);
		assert_memory_equal(p->end[1].memory + 1000 * i,
				    p->end[0].memory + 100 * i, 300 + i);
	}
	assert_int_equal(p->end[0].host.counters.rcvd_rnr_err,
			 p->end[1].host.counters.send_rnr_err);
	assert_true(p->end[0].host.counters.rcvd_rnr_err >= 5);
	pair_free(p);
}

/* RNR-08 of rules.tsv says 7 is for ever: far more than any count. */
static void error_rnr_seven_is_for_ever(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p;

	(void)state;
	attr.rnr_retry = 7;
	p = error_pair(attr);
	pair_send(&p->end[0], 10, 0, 10);
	for (unsigned i = 0; i < 1000; i++) {
		pair_settle(p);
		assert_true(pair_wait(p));
	}
	assert_int_equal(p->end[0].cqe_count, 0);
	pair_recv(&p->end[1], 1, 0, 10);
	pair_run(p);
	pair_expect(&p->end[0], 0, 10, IBV_WC_SUCCESS);
	pair_free(p);
}

static bool error_dead_wire(struct wire_pair *p,
			    const struct pair_packet *packet,
			    const struct wire_packet *decoded)
{
	(void)p;
	(void)packet;
	(void)decoded;
	return false;
}

/* CON-06: retry_cnt retries, each a whole timeout later, none more than four. */
static void error_silence_ends_in_retry_exceeded(void **state)
{
	(void)state;
	for (uint8_t retries = 0; retries < 8; retries++) {
		struct ibv_qp_attr attr = pair_attr();
		struct wire_pair *p;
		uint64_t start_ns, waits = 0;

		for (unsigned tried = 0; tried <= retries; tried++)
			waits += tried < 2 ? 1 + tried : 4;
		attr.retry_cnt = retries;
		p = pair_new(attr);
		p->passes = error_dead_wire;
		start_ns = p->now_ns;
		pair_send(&p->end[0], 10, 0, 10);
		pair_send(&p->end[0], 11, 0, 10);
		pair_run(p);
		pair_expect(&p->end[0], 0, 10, IBV_WC_RETRY_EXC_ERR);
		pair_expect(&p->end[0], 1, 11, IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(p->sent, 2 * (retries + 1));
		assert_int_equal(p->now_ns - start_ns,
				 waits * retry_ack_timeout_ns(10));
		pair_free(p);
	}
}

/* A link that takes nothing is silence too, whether the first packet found no
 * room or, the peer having stopped, the resend did. */
static void error_full_link_ends_in_retry_exceeded(void **state)
{
	(void)state;
	for (unsigned sent_before = 0; sent_before < 2; sent_before++) {
		struct wire_pair *p = pair_new(pair_attr());

		p->passes = error_dead_wire;
		p->end[0].link_full = !sent_before;
		pair_send(&p->end[0], 10, 0, 10);
		pair_settle(p);
		p->end[0].link_full = true;
		pair_run(p);
		pair_expect(&p->end[0], 0, 10, IBV_WC_RETRY_EXC_ERR);
		assert_int_equal(p->sent, sent_before);
		pair_free(p);
	}
}

/* RNR-10: timeout 0 waits for ever, and ERR flushes. */
static void error_timeout_zero_waits(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p;

	(void)state;
	attr.timeout = 0;
	p = pair_new(attr);
	p->passes = error_dead_wire;
	pair_send(&p->end[0], 10, 0, 10);
	pair_settle(p);
	assert_false(pair_wait(p));
	pair_modify(&p->end[0], IBV_QPS_ERR, attr, IBV_QP_STATE);
	pair_expect(&p->end[0], 0, 10, IBV_WC_WR_FLUSH_ERR);
	pair_free(p);
}

/* S27 */
static void error_psn_ahead(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p = error_pair(attr);

	(void)state;
	p->end[0].qp.req.next = p->end[0].qp.req.unacked =
		p->end[0].qp.req.fresh = p->end[0].qp.req.sent = psn_make(3);
	pair_recv(&p->end[1], 1, 0, 10);
	pair_send(&p->end[0], 10, 0, 10);
	pair_run(p);
	pair_expect(&p->end[0], 0, 10, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(p->end[1].cqe_count, 0);
	assert_int_equal(p->end[1].qp.state, IBV_QPS_RTS);
	pair_free(p);
}

/* S39, CMP-26, CMP-27: all, in order, unsignaled too, and once. */
static void error_modify_flushes(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());

	(void)state;
	p->passes = error_dead_wire;
	for (unsigned i = 0; i < 5; i++) {
		pair_send(&p->end[0], 10 + i, 0, 10)->signaled = i % 2;
		pair_recv(&p->end[0], i, 0, 10);
	}
	pair_settle(p);
	pair_modify(&p->end[0], IBV_QPS_ERR, pair_attr(), IBV_QP_STATE);
	pair_run(p);
	assert_int_equal(p->end[0].cqe_count, 10);
	for (unsigned i = 0; i < 5; i++) {
		pair_expect(&p->end[0], i, 10 + i, IBV_WC_WR_FLUSH_ERR);
		pair_expect(&p->end[0], 5 + i, i, IBV_WC_WR_FLUSH_ERR);
	}
	pair_free(p);
}

/* QPS-14, TDN-06: a life after RESET, with new numbers. */
static void error_reset_forgets(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p = error_pair(attr);

	(void)state;
	pair_recv(&p->end[1], 1, 0, 10);
	pair_send(&p->end[0], 10, 0, 300); /* too long: both in ERR */
	pair_run(p);
	attr.rq_psn = attr.sq_psn = 77;
	for (int i = 0; i < 2; i++) {
		pair_modify(&p->end[i], IBV_QPS_RESET, attr, IBV_QP_STATE);
		p->end[i].cqe_count = 0;
		pair_connect(&p->end[i], attr);
	}
	for (unsigned i = 0; i < PAIR_DEPTH; i++) {
		pair_recv(&p->end[1], i, 0, 300);
		pair_send(&p->end[0], 100 + i, 0, 300);
	}
	pair_run(p);
	for (unsigned i = 0; i < PAIR_DEPTH; i++) {
		pair_expect(&p->end[0], i, 100 + i, IBV_WC_SUCCESS);
		pair_expect(&p->end[1], i, i, IBV_WC_SUCCESS);
	}
	pair_free(p);
}

/* QPS-18, QPS-19 */
static void error_sqd_drains(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p = pair_new(attr);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		pair_recv(&p->end[1], i, 0, 600);
		pair_send(&p->end[0], 10 + i, 0, 600);
	}
	requester_run(&p->end[0].qp, 1, p->now_ns); /* the first has begun */
	attr.en_sqd_async_notify = 1;
	pair_modify(&p->end[0], IBV_QPS_SQD, attr,
		    IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	assert_int_equal(p->end[0].event_count, 0);
	pair_run(p);
	assert_int_equal(p->end[0].cqe_count, 1);
	assert_int_equal(p->end[0].event_count, 1);
	assert_int_equal(p->end[0].events[0], IBV_EVENT_SQ_DRAINED);
	pair_modify(&p->end[0], IBV_QPS_RTS, attr, IBV_QP_STATE);
	pair_run(p);
	assert_int_equal(p->end[0].cqe_count, 2);
	assert_int_equal(p->end[0].event_count, 1);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_receive_too_short),
		cmocka_unit_test(error_receive_memory_is_bad),
		cmocka_unit_test(error_send_memory_is_bad),
		cmocka_unit_test(error_rnr_is_counted),
		cmocka_unit_test(error_rnr_heals),
		cmocka_unit_test(error_rnr_seven_is_for_ever),
		cmocka_unit_test(error_silence_ends_in_retry_exceeded),
		cmocka_unit_test(error_full_link_ends_in_retry_exceeded),
		cmocka_unit_test(error_timeout_zero_waits),
		cmocka_unit_test(error_psn_ahead),
		cmocka_unit_test(error_modify_flushes),
		cmocka_unit_test(error_reset_forgets),
		cmocka_unit_test(error_sqd_drains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
