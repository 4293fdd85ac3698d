// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lengths, keys and addresses that a sound peer does not send; and answers that
 * are not those to the request. */
#include "tests/unit/engine/wire_pair.h"

static const uint8_t hostile_payload[WIRE_PAYLOAD_MAX] = { 0xba, 0xad };

static struct wire_packet hostile_packet(const struct pair_end *e,
					 enum wire_opcode op, uint32_t len)
{
	return (struct wire_packet){
		.opcode = op,
		.ack_request = true,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = e->qp.qpn,
		.psn = psn_make(0xfffffe),
		.payload = hostile_payload,
		.payload_len = len,
		.reth = { .rkey = PAIR_RKEY },
		.atomic = { .rkey = PAIR_RKEY },
	};
}

static unsigned hostile_answer(struct wire_pair *p)
{
	struct wire_packet decoded;
	struct pair_packet *first = &p->packets[p->head % PAIR_PACKETS];

	if (p->head == p->tail)
		return 0xff;
	assert_int_equal(wire_packet_decode(first->bytes, first->len, &decoded),
			 WIRE_DECODE_OK);
	return decoded.aeth.syndrome;
}

static const struct hostile_request {
	enum wire_opcode op;
	uint32_t payload;
	uint64_t va;
	uint32_t length;
	bool wrong_key;
	unsigned answer;
} hostile_requests[] = {
	/* A WRITE's length is not what comes. */
	{ WIRE_RC_WRITE_ONLY, 10, 0, 11, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_WRITE_ONLY, 10, 0, 0, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_WRITE_ONLY, 0, 0, 1, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_WRITE_FIRST, PAIR_MTU, 0, PAIR_MTU, false,
	  WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_WRITE_FIRST, PAIR_MTU, 0, 0, false,
	  WIRE_NAK_INVALID_REQUEST },
	/* More than a message can be. */
	{ WIRE_RC_WRITE_FIRST, PAIR_MTU, 0, 0x80000001, false,
	  WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_READ_REQUEST, 0, 0, 0x80000001, false,
	  WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_READ_REQUEST, 0, 0, UINT32_MAX, false,
	  WIRE_NAK_INVALID_REQUEST },
	/* Out of the memory, by its end, and round the end of all addresses. */
	{ WIRE_RC_READ_REQUEST, 0, 0, 0x80000000, false,
	  WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_WRITE_FIRST, PAIR_MTU, PAIR_MEMORY - PAIR_MTU, PAIR_MTU + 1,
	  false, WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_WRITE_ONLY, 16, UINT64_MAX - 7, 16, false,
	  WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_READ_REQUEST, 0, UINT64_MAX, 2, false,
	  WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_FETCH_ADD, 0, UINT64_MAX - 7, 0, false,
	  WIRE_NAK_REMOTE_ACCESS },
	/* Keys: asked for any byte, and for none. */
	{ WIRE_RC_WRITE_ONLY, 1, 0, 1, true, WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_READ_REQUEST, 0, 0, 1, true, WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_COMPARE_SWAP, 0, 0, 0, true, WIRE_NAK_REMOTE_ACCESS },
	{ WIRE_RC_WRITE_ONLY, 0, 1, 0, true, WIRE_AETH_ACK_UNLIMITED },
	{ WIRE_RC_READ_REQUEST, 0, UINT64_MAX, 0, true,
	  WIRE_AETH_ACK_UNLIMITED },
	/* Atomics are of aligned words. */
	{ WIRE_RC_FETCH_ADD, 0, 4, 0, false, WIRE_NAK_INVALID_REQUEST },
	{ WIRE_RC_COMPARE_SWAP, 0, 1, 0, false, WIRE_NAK_INVALID_REQUEST },
};

static void hostile_requests_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile_requests); i++) {
		const struct hostile_request *r = &hostile_requests[i];
		struct wire_pair *p = pair_new(pair_attr());
		struct pair_end *e = &p->end[1];
		struct wire_packet packet =
			hostile_packet(e, r->op, r->payload);
		uint8_t *before = test_malloc(PAIR_MEMORY);

		memcpy(before, e->memory, PAIR_MEMORY);
		packet.reth.va = packet.atomic.va = r->va;
		packet.reth.length = r->length;
		packet.reth.rkey += r->wrong_key;
		packet.atomic.rkey += r->wrong_key;
		qp_receive(&e->qp, &packet, NULL, p->now_ns);
		answer_send(&e->qp);
		assert_int_equal(hostile_answer(p), r->answer);
		assert_int_equal(e->qp.state,
				 r->answer == WIRE_AETH_ACK_UNLIMITED
					 ? IBV_QPS_RTS
					 : IBV_QPS_ERR);
		assert_memory_equal(before, e->memory, PAIR_MEMORY);
		test_free(before);
		pair_free(p);
	}
}

/* A READ of three packets is out, and then: */
static const struct hostile_response {
	enum wire_opcode op;
	uint32_t payload;
	uint32_t nth;
	enum ibv_wc_status status; /* SUCCESS: nothing has come of it */
} hostile_responses[] = {
	{ WIRE_RC_READ_RESP_FIRST, PAIR_MTU, 0, IBV_WC_SUCCESS },
	{ WIRE_RC_READ_RESP_MIDDLE, PAIR_MTU, 0, IBV_WC_SUCCESS },
	{ WIRE_RC_READ_RESP_LAST, PAIR_MTU, 0, IBV_WC_BAD_RESP_ERR },
	{ WIRE_RC_READ_RESP_ONLY, PAIR_MTU, 0, IBV_WC_BAD_RESP_ERR },
	{ WIRE_RC_READ_RESP_ONLY, 3 * PAIR_MTU, 0, IBV_WC_BAD_RESP_ERR },
	{ WIRE_RC_READ_RESP_FIRST, PAIR_MTU - 1, 0, IBV_WC_BAD_RESP_ERR },
	{ WIRE_RC_READ_RESP_FIRST, 0, 0, IBV_WC_BAD_RESP_ERR },
	{ WIRE_RC_ATOMIC_ACK, 0, 0, IBV_WC_BAD_RESP_ERR },
	/* Not the next one, and not one that was asked for. */
	{ WIRE_RC_READ_RESP_MIDDLE, PAIR_MTU, 1, IBV_WC_SUCCESS },
	{ WIRE_RC_READ_RESP_LAST, PAIR_MTU, 3, IBV_WC_SUCCESS },
};

static void hostile_responses_are_judged(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hostile_responses); i++) {
		const struct hostile_response *r = &hostile_responses[i];
		struct wire_pair *p = pair_new(pair_attr());
		struct pair_end *e = &p->end[0];
		struct sd_send_wqe *wqe = pair_send(e, 7, 100, 3 * PAIR_MTU);
		struct wire_packet packet =
			hostile_packet(e, r->op, r->payload);

		wqe->opcode = IBV_WR_RDMA_READ;
		wqe->remote.rkey = PAIR_RKEY;
		requester_run(&e->qp, 1, p->now_ns);
		packet.psn = psn_add(packet.psn, r->nth);
		packet.aeth.syndrome = WIRE_AETH_ACK_UNLIMITED;
		qp_receive(&e->qp, &packet, NULL, p->now_ns);
		assert_int_equal(e->cqe_count, r->status != IBV_WC_SUCCESS);
		if (r->status != IBV_WC_SUCCESS)
			pair_expect(e, 0, 7, r->status);
		/* Behind the list nothing is written. */
		assert_int_equal(e->memory[100 + 3 * PAIR_MTU], 0);
		pair_free(p);
	}
}

/* The last packet of a READ's response must say that it is. */
static void hostile_response_never_ends(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[0];
	struct sd_send_wqe *wqe = pair_send(e, 7, 100, 2 * PAIR_MTU);
	struct wire_packet packet =
		hostile_packet(e, WIRE_RC_READ_RESP_FIRST, PAIR_MTU);

	(void)state;
	wqe->opcode = IBV_WR_RDMA_READ;
	wqe->remote.rkey = PAIR_RKEY;
	requester_run(&e->qp, 1, p->now_ns);
	qp_receive(&e->qp, &packet, NULL, p->now_ns);
	assert_int_equal(e->cqe_count, 0);
	packet.opcode = WIRE_RC_READ_RESP_MIDDLE;
	packet.psn = psn_add(packet.psn, 1);
	qp_receive(&e->qp, &packet, NULL, p->now_ns);
	pair_expect(e, 0, 7, IBV_WC_BAD_RESP_ERR);
	pair_free(p);
}

/* UD-03: a datagram of more than the port's MTU has not come through it. */
static void hostile_datagram_is_too_long(void **state)
{
	static const uint8_t header[40];
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[1];
	struct wire_packet packet =
		hostile_packet(e, WIRE_UD_SEND_ONLY, PAIR_MTU + 4);

	(void)state;
	e->qp.type = IBV_QPT_UD;
	packet.deth.qkey = e->qp.attr.qkey;
	pair_recv(e, 1, 0, 4 * PAIR_MTU);
	qp_receive(&e->qp, &packet, header, p->now_ns);
	assert_int_equal(e->cqe_count, 0);
	assert_int_equal(e->qp.rq.count, 1);
	packet.payload_len = PAIR_MTU;
	qp_receive(&e->qp, &packet, header, p->now_ns);
	pair_expect(e, 0, 1, IBV_WC_SUCCESS);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_requests_are_judged),
		cmocka_unit_test(hostile_responses_are_judged),
		cmocka_unit_test(hostile_response_never_ends),
		cmocka_unit_test(hostile_datagram_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
