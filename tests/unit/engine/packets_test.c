// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets that a sound peer never sends: each has its one right answer, and
 * rubbish by the million has none that does harm. */
#include "tests/unit/engine/wire_pair.h"

static void packets_give(struct pair_end *e, enum wire_opcode op, uint32_t psn,
			 uint32_t len)
{
	static uint8_t payload[WIRE_PAYLOAD_MAX];
	struct wire_packet packet = {
		.opcode = op,
		.ack_request = true,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = e->qp.qpn,
		.psn = psn_make(psn),
		.payload = payload,
		.payload_len = len,
	};

	qp_receive(&e->qp, &packet, NULL, e->pair->now_ns);
	answer_send(&e->qp);
}

/* What the last answer on the wire says; 0xff: nothing was sent. */
static unsigned packets_answer(struct wire_pair *p)
{
	struct wire_packet decoded;
	struct pair_packet *last = &p->packets[(p->tail - 1) % PAIR_PACKETS];

	if (p->head == p->tail)
		return 0xff;
	assert_int_equal(wire_packet_decode(last->bytes, last->len, &decoded),
			 WIRE_DECODE_OK);
	assert_int_equal(decoded.opcode, WIRE_RC_ACK);
	p->head = p->tail;
	return decoded.aeth.syndrome;
}

static const struct packets_order {
	enum wire_opcode op;
	uint32_t len;
	bool in_message; /* a FIRST came before */
	unsigned answer;
} packets_orders[] = {
	{ WIRE_RC_SEND_MIDDLE, PAIR_MTU, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_LAST, 10, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_FIRST, PAIR_MTU, true, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_ONLY, 10, true, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_FIRST, PAIR_MTU - 1, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_ONLY, PAIR_MTU + 1, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_MIDDLE, PAIR_MTU - 4, true, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_LAST, 0, true, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_LAST, PAIR_MTU + 1, true, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_WRITE_ONLY, 10, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_WRITE_MIDDLE, PAIR_MTU, true, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_FLUSH, 0, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_SEND_LAST, 10, true, WIRE_AETH_ACK_UNLIMITED },
	{ WIRE_RC_SEND_ONLY, 10, false, WIRE_AETH_ACK_UNLIMITED },
};

static void packets_out_of_order_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(packets_orders); i++) {
		const struct packets_order *o = &packets_orders[i];
		struct wire_pair *p = pair_new(pair_attr());
		struct pair_end *e = &p->end[1];
		bool fatal = o->answer == WIRE_NAK_INVALID_REQUEST;
		uint32_t psn = 0xfffffe;

		for (unsigned r = 0; r < 3; r++)
			pair_recv(e, r, 0, 4 * PAIR_MTU);
		if (o->in_message)
			packets_give(e, WIRE_RC_SEND_FIRST, psn++, PAIR_MTU);
		packets_answer(p);
		packets_give(e, o->op, psn, o->len);
		assert_int_equal(packets_answer(p), o->answer);
		assert_int_equal(e->qp.state,
				 fatal ? IBV_QPS_ERR : IBV_QPS_RTS);
		assert_int_equal(e->cqe_count, fatal ? 3 : 1);
		/* Told once: by the receive begun, else by an event. */
		assert_int_equal(e->event_count,
				 fatal && !o->in_message ? 1 : 0);
		/* In ERR silence follows. */
		packets_give(e, WIRE_RC_SEND_ONLY, psn + 1, 10);
		if (fatal)
			assert_int_equal(packets_answer(p), 0xff);
		pair_free(p);
	}
}

/* NAK-01: one NAK for a gap, then silence until the packet comes. */
static void packets_gap_is_told_once(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[1];

	(void)state;
	for (unsigned r = 0; r < 3; r++)
		pair_recv(e, r, 0, 100);
	packets_give(e, WIRE_RC_SEND_ONLY, 0xffffff, 10);
	assert_int_equal(packets_answer(p), WIRE_NAK_PSN_SEQUENCE);
	packets_give(e, WIRE_RC_SEND_ONLY, 0, 10);
	assert_int_equal(packets_answer(p), 0xff);
	packets_give(e, WIRE_RC_SEND_ONLY, 0xfffffe, 10);
	assert_int_equal(packets_answer(p), WIRE_AETH_ACK_UNLIMITED);
	packets_give(e, WIRE_RC_SEND_ONLY, 0, 10);
	assert_int_equal(packets_answer(p), WIRE_NAK_PSN_SEQUENCE);
	assert_int_equal(e->cqe_count, 1);
	pair_free(p);
}

/* A duplicate is acknowledged and not executed again. */
static void packets_duplicates_are_acknowledged(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[1];

	(void)state;
	pair_recv(e, 1, 0, 100);
	pair_recv(e, 2, 0, 100);
	packets_give(e, WIRE_RC_SEND_ONLY, 0xfffffe, 10);
	packets_answer(p);
	for (int i = 0; i < 5; i++) {
		packets_give(e, WIRE_RC_SEND_ONLY, 0xfffffe, 10);
		assert_int_equal(packets_answer(p), WIRE_AETH_ACK_UNLIMITED);
	}
	assert_int_equal(e->cqe_count, 1);
	assert_int_equal(e->host.counters.duplicate_request, 5);
	pair_free(p);
}

static void packets_ack(struct pair_end *e, uint32_t psn, uint8_t syndrome)
{
	struct wire_packet packet = {
		.opcode = WIRE_RC_ACK,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = e->qp.qpn,
		.psn = psn_make(psn),
		.aeth.syndrome = syndrome,
	};

	qp_receive(&e->qp, &packet, NULL, e->pair->now_ns);
}

/* Answers to what was never sent, or is long done, change nothing. */
static void packets_foreign_answers_are_ignored(void **state)
{
	static const uint8_t syndromes[] = {
		0x00, 0x1f, 0x20, 0x3f, 0x40, 0x60, 0x61, 0x62, 0x63, 0x7f,
	};
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[0];

	(void)state;
	pair_send(e, 1, 0, 10);
	pair_send(e, 2, 0, 10);
	requester_run(&e->qp, 1, p->now_ns); /* only the first is out */
	for (size_t i = 0; i < ARRAY_SIZE(syndromes); i++) {
		packets_ack(e, 0xfffffd, syndromes[i]);
		packets_ack(e, 0xffffff, syndromes[i]);
		packets_ack(e, 0x7ffffe, syndromes[i]);
	}
	packets_ack(e, 0xfffffe, 0x45); /* a reserved syndrome */
	assert_int_equal(e->cqe_count, 0);
	assert_int_equal(e->qp.state, IBV_QPS_RTS);
	packets_ack(e, 0xfffffe, 0x00); /* any credit count is an ACK */
	assert_int_equal(e->cqe_count, 1);
	pair_free(p);
}

/* Any packet that decodes, at any queue pair, at any time. */
static void packets_rubbish_does_no_harm(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct wire_pair *p = pair_new(pair_attr());
		struct prng prng;

		prng_seed(&prng, seed);
		for (unsigned i = 0; i < 1000; i++) {
			struct pair_end *e = &p->end[prng_below(&prng, 2)];
			uint8_t bytes[WIRE_HEADERS_MAX + 600];
			struct wire_packet packet;
			size_t len = prng_below(&prng, sizeof(bytes));

			for (size_t b = 0; b < len; b++)
				bytes[b] = (uint8_t)prng_next(&prng);
			if (len > 12) {
				bytes[0] &= 0x1f; /* RC */
				bytes[1] &= 0xf0;
				bytes[9] = bytes[10] = 0;
				bytes[11] &= 7; /* a PSN that means something */
			}
			if (e->qp.rq.count < 4)
				pair_recv(e, i, 0, 500);
			if (e->qp.sq.count < 4)
				pair_send(e, i, 0, 700);
			if (e->cqe_count > 500)
				e->cqe_count = 0;
			requester_run(&e->qp, 2, p->now_ns);
			if (wire_packet_decode(bytes, len, &packet) ==
			    WIRE_DECODE_OK)
				qp_receive(&e->qp, &packet, NULL, p->now_ns);
			answer_send(&e->qp);
			p->head = p->tail;
			if (e->qp.state == IBV_QPS_ERR) {
				qp_reset(&e->qp);
				pair_connect(e, pair_attr());
				e->event_count = 0;
			}
			p->now_ns += prng_below(&prng, 3000000);
			if (e->deadline_ns && e->deadline_ns <= p->now_ns)
				qp_timer(&e->qp, p->now_ns);
		}
		pair_free(p);
	}
}

/* COMM_EST: once, for a queue pair that still waits in RTR. */
static void packets_first_tells_comm_est(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[1];
	struct ibv_qp_attr attr = pair_attr();

	(void)state;
	attr.dest_qp_num = 0x100;
	pair_modify(e, IBV_QPS_RESET, attr, IBV_QP_STATE);
	pair_modify(e, IBV_QPS_INIT, attr, PAIR_INIT_MASK);
	pair_recv(e, 1, 0, 100);
	pair_recv(e, 2, 0, 100);
	packets_give(e, WIRE_RC_SEND_ONLY, 0xfffffe, 10);
	assert_int_equal(packets_answer(p), 0xff); /* INIT: dropped */
	pair_modify(e, IBV_QPS_RTR, attr, PAIR_RTR_MASK);
	packets_give(e, WIRE_RC_SEND_ONLY, 0xfffffe, 10);
	packets_give(e, WIRE_RC_SEND_ONLY, 0xffffff, 10);
	assert_int_equal(e->cqe_count, 2);
	assert_int_equal(e->event_count, 1);
	assert_int_equal(e->events[0], IBV_EVENT_COMM_EST);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_out_of_order_are_refused),
		cmocka_unit_test(packets_gap_is_told_once),
		cmocka_unit_test(packets_duplicates_are_acknowledged),
		cmocka_unit_test(packets_foreign_answers_are_ignored),
		cmocka_unit_test(packets_rubbish_does_no_harm),
		cmocka_unit_test(packets_first_tells_comm_est),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
