// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages across two queue pairs on a perfect and on a bad wire: every one
 * arrives once, in order, whole, whatever the wire does. */
#include "tests/unit/engine/wire_pair.h"

static const uint32_t transfer_sizes[] = {
	0,
	1,
	3,
	PAIR_MTU - 1,
	PAIR_MTU,
	PAIR_MTU + 1,
	2 * PAIR_MTU,
	7 * PAIR_MTU + 5,
};

static void transfer_sizes_arrive(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(transfer_sizes); i++) {
		struct wire_pair *p = pair_new(pair_attr());
		uint32_t len = transfer_sizes[i];
		struct sd_send_wqe *wqe;

		pair_paint(&p->end[0], 1);
		pair_paint(&p->end[1], 2);
		pair_recv(&p->end[1], 10, 100, len + 7);
		wqe = pair_send(&p->end[0], 20, 50, len);
		wqe->opcode = IBV_WR_SEND_WITH_IMM;
		wqe->imm = 0x01020304 + len;
		wqe->solicited = true;
		pair_run(p);
		assert_int_equal(p->end[0].cqe_count, 1);
		assert_int_equal(p->end[1].cqe_count, 1);
		pair_expect(&p->end[0], 0, 20, IBV_WC_SUCCESS);
		pair_expect(&p->end[1], 0, 10, IBV_WC_SUCCESS);
		assert_int_equal(p->end[1].cqes[0].wc.byte_len, len);
		assert_int_equal(p->end[1].cqes[0].wc.opcode, IBV_WC_RECV);
		assert_int_equal(p->end[1].cqes[0].wc.wc_flags,
				 IBV_WC_WITH_IMM);
		assert_int_equal(p->end[1].cqes[0].wc.imm_data,
				 0x01020304 + len);
		assert_true(p->end[1].cqes[0].solicited);
		assert_memory_equal(p->end[1].memory + 100,
				    p->end[0].memory + 50, len);
		pair_free(p);
	}
}

/* Bytes around the message keep what they were. */
static void transfer_touches_nothing_else(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	static uint8_t before[PAIR_MEMORY];

	(void)state;
	pair_paint(&p->end[0], 3);
	pair_paint(&p->end[1], 4);
	memcpy(before, p->end[1].memory, PAIR_MEMORY);
	pair_recv(&p->end[1], 1, 1000, 2000);
	pair_send(&p->end[0], 2, 0, 777);
	pair_run(p);
	assert_memory_equal(p->end[1].memory, before, 1000);
	assert_memory_equal(p->end[1].memory + 1777, before + 1777,
			    PAIR_MEMORY - 1777);
	pair_free(p);
}

static void transfer_gathers_and_scatters(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct sd_send_wqe *s;
	struct sd_recv_wqe *r;
	uint8_t expected[600];

	(void)state;
	pair_paint(&p->end[0], 5);
	pair_recv(&p->end[1], 1, 0, 0);
	r = &p->end[1].rq[0];
	r->num_sge = 3;
	r->length = 650;
	r->sge[0] = (struct ibv_sge){ .addr = 9000, .length = 300 };
	r->sge[1] = (struct ibv_sge){ .addr = 5000, .length = 0 };
	r->sge[2] = (struct ibv_sge){ .addr = 7000, .length = 350 };
	s = pair_send(&p->end[0], 2, 0, 0);
	s->num_sge = 4;
	s->length = 600;
	s->sge[0] = (struct ibv_sge){ .addr = 40, .length = 1 };
	s->sge[1] = (struct ibv_sge){ .addr = 10, .length = 0 };
	s->sge[2] = (struct ibv_sge){ .addr = 3000, .length = 298 };
	s->sge[3] = (struct ibv_sge){ .addr = 100, .length = 301 };
	pair_run(p);
	pair_expect(&p->end[1], 0, 1, IBV_WC_SUCCESS);
	expected[0] = p->end[0].memory[40];
	memcpy(expected + 1, p->end[0].memory + 3000, 298);
	memcpy(expected + 299, p->end[0].memory + 100, 301);
	assert_memory_equal(p->end[1].memory + 9000, expected, 300);
	assert_memory_equal(p->end[1].memory + 7000, expected + 300, 300);
	pair_free(p);
}

static void transfer_unsignaled_is_silent(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		pair_recv(&p->end[1], i, 1000 * i, 10);
		pair_send(&p->end[0], 100 + i, 0, 10)->signaled = i == 7;
	}
	pair_run(p);
	assert_int_equal(p->end[0].cqe_count, 1);
	pair_expect(&p->end[0], 0, 107, IBV_WC_SUCCESS);
	assert_int_equal(p->end[1].cqe_count, 8);
	assert_int_equal(p->end[0].qp.sq.count, 0);
	pair_free(p);
}

/* Lose, one run after the other, each single packet of the exchange. */
static bool transfer_lose_one(struct wire_pair *p,
			      const struct pair_packet *packet,
			      const struct wire_packet *decoded)
{
	(void)packet;
	(void)decoded;
	return p->user-- != 0;
}

static void transfer_check_burst(struct wire_pair *p, unsigned messages,
				 uint32_t len)
{
	assert_int_equal(p->end[0].cqe_count, messages);
	assert_int_equal(p->end[1].cqe_count, messages);
	for (unsigned i = 0; i < messages; i++) {
		pair_expect(&p->end[0], i, 100 + i, IBV_WC_SUCCESS);
		pair_expect(&p->end[1], i, i, IBV_WC_SUCCESS);
		assert_int_equal(p->end[1].cqes[i].wc.byte_len, len + i);
		assert_memory_equal(p->end[1].memory + 4000 * i,
				    p->end[0].memory + 3500 * i, len + i);
	}
}

static void transfer_post_burst(struct wire_pair *p, unsigned messages,
				uint32_t len)
{
	pair_paint(&p->end[0], 6);
	for (unsigned i = 0; i < messages; i++) {
		pair_recv(&p->end[1], i, 4000 * i, len + 20);
		pair_send(&p->end[0], 100 + i, 3500 * i, len + i);
	}
}

static void transfer_survives_any_single_loss(void **state)
{
	unsigned packets = 1;

	(void)state;
	for (unsigned lost = 0; lost < packets; lost++) {
		struct wire_pair *p = pair_new(pair_attr());

		p->user = lost;
		p->passes = transfer_lose_one;
		transfer_post_burst(p, 6, 3 * PAIR_MTU - 2);
		pair_run(p);
		transfer_check_burst(p, 6, 3 * PAIR_MTU - 2);
		packets = p->sent;
		pair_free(p);
	}
	assert_true(packets > 20);
}

/* Lose, repeat and swap at random; never let go of the seed. */
static bool transfer_bad_wire(struct wire_pair *p,
			      const struct pair_packet *packet,
			      const struct wire_packet *decoded)
{
	struct prng *prng = (struct prng *)(uintptr_t)p->user;
	uint64_t dice = prng_below(prng, 100);

	(void)decoded;
	if (dice < 10)
		return false;
	if (dice < 20 && p->tail - p->head < PAIR_PACKETS / 2)
		p->packets[p->tail++ % PAIR_PACKETS] = *packet;
	if (dice >= 20 && dice < 30 && p->tail - p->head >= 2) {
		struct pair_packet *a = &p->packets[p->head % PAIR_PACKETS];
		struct pair_packet *b =
			&p->packets[(p->head + 1) % PAIR_PACKETS];
		struct pair_packet swap = *a;

		*a = *b;
		*b = swap;
	}
	return true;
}

static void transfer_survives_a_bad_wire(void **state)
{
	struct ibv_qp_attr attr = pair_attr();

	(void)state;
	attr.retry_cnt = 7;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct wire_pair *p = pair_new(attr);
		struct prng prng;

		prng_seed(&prng, seed);
		p->user = (uint64_t)(uintptr_t)&prng;
		p->passes = transfer_bad_wire;
		transfer_post_burst(p, 10, (uint32_t)(seed * 13 % 2000));
		pair_run(p);
		transfer_check_burst(p, 10, (uint32_t)(seed * 13 % 2000));
		pair_free(p);
	}
}

static void transfer_waits_for_the_link(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());

	(void)state;
	transfer_post_burst(p, 4, 1000);
	p->end[0].link_full = true;
	assert_int_equal(requester_run(&p->end[0].qp, 8, p->now_ns), REQ_LINK);
	assert_int_equal(p->sent, 0);
	p->end[0].link_full = false;
	p->end[1].link_full = true; /* the answers wait */
	pair_settle(p);
	assert_true(p->end[1].qp.resp.answer_ring.count > 0);
	assert_true(p->end[1].host.counters.ack_deferred > 0);
	p->end[1].link_full = false;
	assert_true(answer_send(&p->end[1].qp));
	pair_run(p);
	transfer_check_burst(p, 4, 1000);
	pair_free(p);
}

/* More packets than the window holds: the A bit inside keeps it moving. */
static void transfer_longer_than_the_window(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	uint32_t len = 200 * PAIR_MTU;

	(void)state;
	pair_paint(&p->end[0], 8);
	pair_recv(&p->end[1], 1, 0, len);
	pair_send(&p->end[0], 2, 0, len);
	assert_int_equal(requester_run(&p->end[0].qp, 1000, p->now_ns),
			 REQ_WINDOW);
	assert_int_equal(p->sent, REQ_WINDOW_PACKETS);
	pair_run(p);
	pair_expect(&p->end[1], 0, 1, IBV_WC_SUCCESS);
	assert_memory_equal(p->end[1].memory, p->end[0].memory, len);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfer_sizes_arrive),
		cmocka_unit_test(transfer_touches_nothing_else),
		cmocka_unit_test(transfer_gathers_and_scatters),
		cmocka_unit_test(transfer_unsignaled_is_silent),
		cmocka_unit_test(transfer_survives_any_single_loss),
		cmocka_unit_test(transfer_survives_a_bad_wire),
		cmocka_unit_test(transfer_waits_for_the_link),
		cmocka_unit_test(transfer_longer_than_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
