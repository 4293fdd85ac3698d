// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* WRITE, READ and atomics: on a perfect and on a bad wire, in any mixture,
 * each takes effect once and in order. */
#include "tests/unit/engine/wire_pair.h"

static struct sd_send_wqe *remote_post(struct pair_end *e, uint64_t wr_id,
				       enum ibv_wr_opcode op, uint64_t local,
				       uint64_t remote, uint32_t len)
{
	struct sd_send_wqe *wqe = pair_send(e, wr_id, local, len);

	wqe->opcode = op;
	wqe->remote.va = remote;
	wqe->remote.rkey = PAIR_RKEY;
	return wqe;
}

static const uint32_t remote_sizes[] = {
	0,
	1,
	PAIR_MTU - 1,
	PAIR_MTU,
	PAIR_MTU + 1,
	15 * PAIR_MTU,
	16 * PAIR_MTU,
	16 * PAIR_MTU + 1,
	50 * PAIR_MTU + 3,
};

static void remote_read_and_write(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(remote_sizes); i++) {
		struct wire_pair *p = pair_new(pair_attr());
		uint32_t len = remote_sizes[i];

		pair_paint(&p->end[0], 1);
		pair_paint(&p->end[1], 2);
		remote_post(&p->end[0], 1, IBV_WR_RDMA_WRITE, 100, 20000, len);
		remote_post(&p->end[0], 2, IBV_WR_RDMA_READ, 40000, 20000, len);
		pair_run(p);
		pair_expect(&p->end[0], 0, 1, IBV_WC_SUCCESS);
		pair_expect(&p->end[0], 1, 2, IBV_WC_SUCCESS);
		assert_int_equal(p->end[0].cqes[1].wc.opcode, IBV_WC_RDMA_READ);
		assert_int_equal(p->end[0].cqes[1].wc.byte_len, len);
		assert_memory_equal(p->end[1].memory + 20000,
				    p->end[0].memory + 100, len);
		assert_memory_equal(p->end[0].memory + 40000,
				    p->end[0].memory + 100, len);
		assert_int_equal(p->end[1].cqe_count, 0); /* MSG-11 */
		pair_free(p);
	}
}

/* CMP-12, CMP-14, MSG-08 */
static void remote_write_with_imm(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct sd_send_wqe *wqe;

	(void)state;
	pair_paint(&p->end[0], 1);
	pair_recv(&p->end[1], 9, 0, 0);
	wqe = remote_post(&p->end[0], 1, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 30000,
			  5 * PAIR_MTU + 1);
	wqe->imm = 0xabcd;
	pair_run(p);
	pair_expect(&p->end[1], 0, 9, IBV_WC_SUCCESS);
	assert_int_equal(p->end[1].cqes[0].wc.opcode,
			 IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(p->end[1].cqes[0].wc.byte_len, 5 * PAIR_MTU + 1);
	assert_int_equal(p->end[1].cqes[0].wc.imm_data, 0xabcd);
	assert_memory_equal(p->end[1].memory + 30000, p->end[0].memory,
			    5 * PAIR_MTU + 1);
	pair_free(p);
}

static void remote_write_with_imm_waits_for_a_receive(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());

	(void)state;
	pair_paint(&p->end[0], 1);
	remote_post(&p->end[0], 1, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 30000,
		    3 * PAIR_MTU);
	pair_settle(p);
	assert_int_equal(p->end[1].host.counters.send_rnr_err, 1);
	pair_recv(&p->end[1], 9, 0, 0);
	pair_run(p);
	pair_expect(&p->end[0], 0, 1, IBV_WC_SUCCESS);
	pair_expect(&p->end[1], 0, 9, IBV_WC_SUCCESS);
	assert_int_equal(p->end[1].cqes[0].wc.byte_len, 3 * PAIR_MTU);
	assert_memory_equal(p->end[1].memory + 30000, p->end[0].memory,
			    3 * PAIR_MTU);
	pair_free(p);
}

static uint64_t remote_word(const struct pair_end *e, uint64_t at)
{
	uint64_t value;

	memcpy(&value, e->memory + at, sizeof(value));
	return value;
}

/* ATO-04, ATO-05 */
static void remote_atomics(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[0];
	struct sd_send_wqe *wqe;

	(void)state;
	memset(p->end[1].memory + 800, 0xff, 8);
	wqe = remote_post(e, 1, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 800, 8);
	wqe->remote.swap_add = 6;
	wqe = remote_post(e, 2, IBV_WR_ATOMIC_CMP_AND_SWP, 8, 800, 8);
	wqe->remote.compare = 5;
	wqe->remote.swap_add = 77;
	wqe = remote_post(e, 3, IBV_WR_ATOMIC_CMP_AND_SWP, 16, 800, 8);
	wqe->remote.compare = 5;
	wqe->remote.swap_add = 99;
	pair_run(p);
	for (unsigned i = 0; i < 3; i++)
		pair_expect(e, i, i + 1, IBV_WC_SUCCESS);
	assert_true(remote_word(e, 0) == UINT64_MAX);
	assert_true(remote_word(e, 8) == 5);
	assert_true(remote_word(e, 16) == 77);
	assert_true(remote_word(&p->end[1], 800) == 77);
	pair_free(p);
}

static unsigned remote_requests, remote_requests_max;

static bool remote_count_reads(struct wire_pair *p,
			       const struct pair_packet *packet,
			       const struct wire_packet *decoded)
{
	(void)p;
	(void)packet;
	if (wire_opcode_is_read_request(decoded->opcode))
		remote_requests++;
	if (decoded->opcode == WIRE_RC_READ_RESP_ONLY ||
	    decoded->opcode == WIRE_RC_READ_RESP_LAST)
		remote_requests--;
	if (remote_requests > remote_requests_max)
		remote_requests_max = remote_requests;
	return true;
}

/* RMA-06: more wait, without error. */
static void remote_reads_are_limited(void **state)
{
	(void)state;
	for (uint8_t limit = 1; limit <= 4; limit++) {
		struct ibv_qp_attr attr = pair_attr();
		struct wire_pair *p;

		attr.max_rd_atomic = limit;
		p = pair_new(attr);
		remote_requests = remote_requests_max = 0;
		p->passes = remote_count_reads;
		for (unsigned i = 0; i < 12; i++)
			remote_post(&p->end[0], i, IBV_WR_RDMA_READ, 0, 100,
				    300 + i);
		/* What is out before any answer. */
		requester_run(&p->end[0].qp, 100, p->now_ns);
		assert_int_equal(p->sent, limit);
		pair_run(p);
		assert_true(remote_requests_max <= limit);
		for (unsigned i = 0; i < 12; i++)
			pair_expect(&p->end[0], i, i, IBV_WC_SUCCESS);
		pair_free(p);
	}
}

/* RMA-04: the fenced SEND carries what all the READs have brought. */
static void remote_fence(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());

	(void)state;
	pair_paint(&p->end[1], 3);
	pair_recv(&p->end[1], 9, 50000, 4000);
	remote_post(&p->end[0], 1, IBV_WR_RDMA_READ, 1000, 0, 10);
	remote_post(&p->end[0], 2, IBV_WR_RDMA_READ, 1010, 10, 3990);
	pair_send(&p->end[0], 3, 1000, 4000)->fence = true;
	requester_run(&p->end[0].qp, 100, p->now_ns);
	assert_int_equal(p->sent, 2);
	pair_run(p);
	pair_expect(&p->end[1], 0, 9, IBV_WC_SUCCESS);
	assert_memory_equal(p->end[1].memory + 50000, p->end[1].memory, 4000);
	pair_free(p);
}

static const struct remote_refusal {
	enum ibv_wr_opcode op;
	uint64_t va;
	uint32_t rkey;
	unsigned access;   /* of the responder's queue pair */
	uint8_t rd_atomic; /* its max_dest_rd_atomic */
	enum ibv_wc_status status;
	enum ibv_event_type event;
} remote_refusals[] = {
	{ IBV_WR_RDMA_WRITE, 0, 1, PAIR_ACCESS, 4, IBV_WC_REM_ACCESS_ERR,
	  IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_READ, PAIR_MEMORY - 7, PAIR_RKEY, PAIR_ACCESS, 4,
	  IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_RDMA_WRITE, UINT64_MAX - 3, PAIR_RKEY, PAIR_ACCESS, 4,
	  IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 1, PAIR_ACCESS, 4,
	  IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR },
	{ IBV_WR_ATOMIC_FETCH_AND_ADD, 4, PAIR_RKEY, PAIR_ACCESS, 4,
	  IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_RDMA_WRITE, 0, PAIR_RKEY, IBV_ACCESS_REMOTE_READ, 4,
	  IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_RDMA_READ, 0, PAIR_RKEY, IBV_ACCESS_REMOTE_WRITE, 4,
	  IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_ATOMIC_CMP_AND_SWP, 0, PAIR_RKEY, IBV_ACCESS_REMOTE_WRITE, 4,
	  IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
	{ IBV_WR_RDMA_READ, 0, PAIR_RKEY, PAIR_ACCESS, 0,
	  IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR },
};

/* S10 to S13, S17 to S19; NAK-06, NAK-07 */
static void remote_refusals_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(remote_refusals); i++) {
		const struct remote_refusal *r = &remote_refusals[i];
		struct wire_pair *p = pair_new(pair_attr());
		static uint8_t before[PAIR_MEMORY];
		struct sd_send_wqe *wqe;

		pair_paint(&p->end[0], 4);
		pair_paint(&p->end[1], 5);
		memcpy(before, p->end[1].memory, PAIR_MEMORY);
		p->end[1].qp.attr.qp_access_flags = r->access;
		p->end[1].qp.attr.max_dest_rd_atomic = r->rd_atomic;
		pair_recv(&p->end[1], 8, 0, 0);
		pair_send(&p->end[0], 1, 0, 0);
		wqe = remote_post(&p->end[0], 2, r->op, 0, r->va, 8);
		wqe->remote.rkey = r->rkey;
		remote_post(&p->end[0], 3, IBV_WR_RDMA_WRITE, 0, 0, 100);
		pair_run(p);
		pair_expect(&p->end[0], 0, 1, IBV_WC_SUCCESS);
		pair_expect(&p->end[0], 1, 2, r->status);
		pair_expect(&p->end[0], 2, 3, IBV_WC_WR_FLUSH_ERR);
		assert_memory_equal(p->end[1].memory, before, PAIR_MEMORY);
		assert_int_equal(p->end[1].qp.state, IBV_QPS_ERR);
		assert_int_equal(p->end[1].event_count, 1);
		assert_int_equal(p->end[1].events[0], r->event);
		pair_free(p);
	}
}

/* A counter, a log of WRITEs, READs: a history that only one order explains. */
struct remote_story {
	struct wire_pair *p;
	struct prng prng;
	unsigned loss_percent;
};

static bool remote_bad_wire(struct wire_pair *p,
			    const struct pair_packet *packet,
			    const struct wire_packet *decoded)
{
	struct remote_story *s = (struct remote_story *)(uintptr_t)p->user;
	uint64_t dice = prng_below(&s->prng, 100);

	(void)decoded;
	if (dice < s->loss_percent)
		return false;
	if (dice < 2 * s->loss_percent && p->tail - p->head < 2000)
		p->packets[p->tail++ % PAIR_PACKETS] = *packet;
	return true;
}

enum { STORY_COUNTER = 64, STORY_TARGET = 1024, STORY_SINK = 30000 };

static void remote_story_post(struct remote_story *s, unsigned i)
{
	struct pair_end *e = &s->p->end[0];
	uint64_t sink = STORY_SINK + 1000 * (i % PAIR_DEPTH);
	uint32_t len = (uint32_t)prng_range(&s->prng, 1, 900);
	struct sd_send_wqe *wqe;

	switch (i % 4) {
	case 0:
		wqe = remote_post(e, i, IBV_WR_ATOMIC_FETCH_AND_ADD, sink,
				  STORY_COUNTER, 8);
		wqe->remote.swap_add = 1;
		break;
	case 1:
		/* Fenced: a READ that is asked again reads again, and must not
		 * meet what was posted behind it. */
		remote_post(e, i, IBV_WR_RDMA_WRITE, 1000 + 10 * i,
			    STORY_TARGET, len)
			->fence = true;
		break;
	case 2:
		remote_post(e, i, IBV_WR_RDMA_READ, sink, STORY_TARGET, 900);
		break;
	default:
		pair_recv(&s->p->end[1], i, 60000, 1000);
		pair_send(e, i, 0, len);
	}
}

/*
 * RMA-02, RMA-03, ATO-09, MSG-16: each READ returns exactly what the WRITEs
 * before it left, however often it was asked; the counter counts each atomic
 * once, and each atomic finds the number of those before it.
 */
static void remote_story_run(uint64_t seed, unsigned loss_percent)
{
	struct ibv_qp_attr attr = pair_attr();
	struct remote_story s = { .loss_percent = loss_percent };
	static uint8_t model[1000];
	unsigned done = 0, counted = 0;

	attr.retry_cnt = 7;
	s.p = pair_new(attr);
	prng_seed(&s.prng, seed);
	s.p->user = (uint64_t)(uintptr_t)&s;
	s.p->passes = remote_bad_wire;
	pair_paint(&s.p->end[0], seed);
	memset(s.p->end[1].memory, 0, PAIR_MEMORY);
	memset(model, 0, sizeof(model));
	for (unsigned batch = 0; batch < 5; batch++) {
		unsigned first = batch * 12;
		uint32_t lens[12];

		for (unsigned i = 0; i < 12; i++) {
			remote_story_post(&s, first + i);
			lens[i] = qp_send_wqe(&s.p->end[0].qp,
					      s.p->end[0].qp.sq.count - 1)
					  ->length;
		}
		pair_run(s.p);
		assert_int_equal(s.p->end[0].cqe_count, first + 12);
		for (unsigned i = 0; i < 12; i++, done++) {
			uint64_t sink = STORY_SINK + 1000 * (done % PAIR_DEPTH);

			pair_expect(&s.p->end[0], done, done, IBV_WC_SUCCESS);
			if (done % 4 == 0)
				assert_true(remote_word(&s.p->end[0], sink) ==
					    counted++);
			if (done % 4 == 1)
				memcpy(model,
				       s.p->end[0].memory + 1000 + 10 * done,
				       lens[i]);
			if (done % 4 == 2)
				assert_memory_equal(s.p->end[0].memory + sink,
						    model, 900);
		}
	}
	assert_true(remote_word(&s.p->end[1], STORY_COUNTER) == counted);
	pair_free(s.p);
}

static void remote_histories(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++)
		remote_story_run(seed, seed % 3 == 0   ? 0
				       : seed % 3 == 1 ? 3
						       : 10);
}

/* Any single packet of a READ and of an atomic may be lost. */
static bool remote_lose_one(struct wire_pair *p,
			    const struct pair_packet *packet,
			    const struct wire_packet *decoded)
{
	(void)packet;
	(void)decoded;
	return p->user-- != 0;
}

static void remote_any_single_loss(void **state)
{
	unsigned packets = 1;

	(void)state;
	for (unsigned lost = 0; lost < packets; lost++) {
		struct wire_pair *p = pair_new(pair_attr());
		struct sd_send_wqe *wqe;

		p->user = lost;
		p->passes = remote_lose_one;
		pair_paint(&p->end[1], 6);
		memset(p->end[1].memory + 800, 0, 8);
		remote_post(&p->end[0], 1, IBV_WR_RDMA_READ, 0, 10000,
			    20 * PAIR_MTU + 9);
		wqe = remote_post(&p->end[0], 2, IBV_WR_ATOMIC_FETCH_AND_ADD,
				  60000, 800, 8);
		wqe->remote.swap_add = 1;
		remote_post(&p->end[0], 3, IBV_WR_RDMA_READ, 40000, 100, 5);
		pair_run(p);
		for (unsigned i = 0; i < 3; i++)
			pair_expect(&p->end[0], i, i + 1, IBV_WC_SUCCESS);
		assert_memory_equal(p->end[0].memory, p->end[1].memory + 10000,
				    20 * PAIR_MTU + 9);
		assert_true(remote_word(&p->end[1], 800) == 1);
		assert_true(remote_word(&p->end[0], 60000) == 0);
		packets = p->sent;
		pair_free(p);
	}
	assert_true(packets > 20);
}

/* PST-19, MW: local operations run in their place. */
static void remote_local_operations(void **state)
{
	struct wire_pair *p = pair_new(pair_attr());
	struct pair_end *e = &p->end[0];
	struct sd_send_wqe *wqe;

	(void)state;
	remote_post(e, 1, IBV_WR_RDMA_WRITE, 0, 100, 10);
	wqe = remote_post(e, 2, IBV_WR_LOCAL_INV, 0, 0, 0);
	wqe->imm = PAIR_RKEY;
	wqe = remote_post(e, 3, IBV_WR_BIND_MW, 0, 0, 0);
	wqe->bind = (struct sd_bind){ .rkey = 5, .length = 1 };
	remote_post(e, 4, IBV_WR_RDMA_WRITE, 0, 100, 10);
	requester_run(&e->qp, 10, p->now_ns);
	assert_int_equal(e->invalidated, 0); /* the WRITE is still out */
	pair_run(p);
	for (unsigned i = 0; i < 4; i++)
		pair_expect(e, i, i + 1, IBV_WC_SUCCESS);
	assert_int_equal(e->invalidated, PAIR_RKEY);
	assert_int_equal(e->bound, 5);
	wqe = remote_post(e, 5, IBV_WR_LOCAL_INV, 0, 0, 0);
	wqe->imm = 1;
	pair_run(p);
	pair_expect(e, 4, 5, IBV_WC_LOC_QP_OP_ERR);
	assert_int_equal(e->qp.state, IBV_QPS_ERR);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remote_read_and_write),
		cmocka_unit_test(remote_write_with_imm),
		cmocka_unit_test(remote_write_with_imm_waits_for_a_receive),
		cmocka_unit_test(remote_atomics),
		cmocka_unit_test(remote_reads_are_limited),
		cmocka_unit_test(remote_fence),
		cmocka_unit_test(remote_refusals_are_told),
		cmocka_unit_test(remote_histories),
		cmocka_unit_test(remote_any_single_loss),
		cmocka_unit_test(remote_local_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
