// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Posting to RC and UC queue pairs: what each operation does, and what is
 * refused before anything of it happens. */
#include "loop_fixture.h"

#include <arpa/inet.h>

#include "softrdma/softdv.h"

static struct ibv_send_wr rdma(const struct loop *l, enum ibv_wr_opcode op,
			       size_t at)
{
	return (struct ibv_send_wr){
		.wr_id = 1,
		.opcode = op,
		.wr.rdma = { .remote_addr = (uintptr_t)l->bytes + at,
			     .rkey = l->mr->rkey },
	};
}

static void sends_carry_data_and_immediate(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = { .wr_id = 1,
				  .opcode = IBV_WR_SEND_WITH_IMM,
				  .imm_data = htonl(0xabcd) };
	struct ibv_wc recv;

	loop_post_recv(l, l->b, 2, 4096, 4000);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 3000), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(recv.byte_len, 3000);
	assert_int_equal(recv.opcode, IBV_WC_RECV);
	assert_int_equal(recv.wc_flags, IBV_WC_WITH_IMM);
	assert_int_equal(recv.imm_data, htonl(0xabcd));
	assert_int_equal(recv.qp_num, l->b->qp_num);
	assert_memory_equal(l->bytes, l->bytes + 4096, 3000);
}

static void writes_reach_memory_alone_or_with_a_receive(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = rdma(l, IBV_WR_RDMA_WRITE, 4096);
	struct ibv_wc recv;

	assert_int_equal(loop_post(l, l->a, &wr, 0, 2500), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	wr = rdma(l, IBV_WR_RDMA_WRITE_WITH_IMM, 4096);
	wr.imm_data = htonl(7);
	loop_post_recv(l, l->b, 2, 0, 0);
	assert_int_equal(loop_post(l, l->a, &wr, 100, 2500), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(recv.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(recv.byte_len, 2500);
	assert_int_equal(recv.imm_data, htonl(7));
	assert_memory_equal(l->bytes + 100, l->bytes + 4096, 2500);
}

static void reads_fetch_what_is_there(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = rdma(l, IBV_WR_RDMA_READ, 0);

	assert_int_equal(loop_post(l, l->a, &wr, 4096, 4000), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_memory_equal(l->bytes, l->bytes + 4096, 4000);
}

static void atomics_change_and_tell_what_was(void **state)
{
	struct loop *l = *state;
	volatile uint64_t *word = (uint64_t *)l->bytes;
	volatile uint64_t *result = (uint64_t *)(l->bytes + 64);
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .remote_addr = (uintptr_t)word,
			       .rkey = l->mr->rkey,
			       .compare_add = 5 },
	};

	*word = UINT64_MAX;
	assert_int_equal(loop_post(l, l->a, &wr, 64, 8), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_true(*word == 4 && *result == UINT64_MAX);
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 4;
	wr.wr.atomic.swap = 99;
	assert_int_equal(loop_post(l, l->a, &wr, 64, 8), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_true(*word == 99 && *result == 4);
	/* Not equal: nothing is written. */
	assert_int_equal(loop_post(l, l->a, &wr, 64, 8), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_true(*word == 99 && *result == 99);
}

static void atomics_are_eight_aligned_bytes(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .rkey = l->mr->rkey },
	};

	for (unsigned off = 1; off < 8; off++) {
		wr.wr.atomic.remote_addr = (uintptr_t)l->bytes + off;
		assert_int_equal(loop_post(l, l->a, &wr, 64, 8), EINVAL);
	}
	wr.wr.atomic.remote_addr = (uintptr_t)l->bytes;
	assert_int_equal(loop_post(l, l->a, &wr, 64, 7), EINVAL);
	assert_int_equal(loop_post(l, l->a, &wr, 64, 16), EINVAL);
	assert_int_equal(loop_state(l->a), IBV_QPS_RTS);
}

static void inline_is_for_sends_and_writes(void **state)
{
	struct loop *l = *state;
	/* Unregistered, and gone after the post. */
	uint8_t data[LOOP_INLINE + 1];
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = LOOP_INLINE };
	struct ibv_send_wr wr = rdma(l, IBV_WR_RDMA_WRITE, 0);
	struct ibv_send_wr *bad;

	memset(data, 0x5a, sizeof(data));
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(ibv_post_send(l->a, &wr, &bad), 0);
	memset(data, 0, sizeof(data));
	loop_expect(l, 1, IBV_WC_SUCCESS);
	memset(data, 0x5a, sizeof(data));
	assert_memory_equal(l->bytes, data, LOOP_INLINE);
	sge.length++;
	assert_int_equal(ibv_post_send(l->a, &wr, &bad), EINVAL);
	sge.length = 8;
	wr.opcode = IBV_WR_RDMA_READ;
	assert_int_equal(ibv_post_send(l->a, &wr, &bad), EINVAL);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr.wr.atomic.remote_addr = (uintptr_t)l->bytes;
	assert_int_equal(ibv_post_send(l->a, &wr, &bad), EINVAL);
	wr.opcode = IBV_WR_LOCAL_INV;
	assert_int_equal(ibv_post_send(l->a, &wr, &bad), EINVAL);
}

/* Who asks for no inline data is granted what fits into an entry, and can post
 * it. */
static void inline_fits_where_a_list_does(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_init_attr init = {
		.send_cq = l->cq,
		.recv_cq = l->cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 2 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct ibv_qp *qp = ibv_create_qp(l->pd, &init);
	uint8_t data[2 * sizeof(struct ibv_sge) + 1];
	struct ibv_sge sge = { .addr = (uintptr_t)data };
	struct ibv_send_wr wr = rdma(l, IBV_WR_RDMA_WRITE, 0);
	struct ibv_send_wr *bad;

	assert_non_null(qp);
	assert_int_equal(init.cap.max_inline_data, sizeof(data) - 1);
	loop_init(qp);
	loop_rtr(l, qp, qp->qp_num);
	loop_rts(qp);
	memset(data, 0x5a, sizeof(data));
	sge.length = sizeof(data);
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(ibv_post_send(qp, &wr, &bad), EINVAL);
	sge.length--;
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_memory_equal(l->bytes, data, sge.length);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	init.cap = (struct ibv_qp_cap){ .max_recv_wr = 1, .max_recv_sge = 1 };
	qp = ibv_create_qp(l->pd, &init);
	assert_non_null(qp);
	assert_int_equal(init.cap.max_inline_data, 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void what_cannot_be_is_refused_at_once(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr good = rdma(l, IBV_WR_RDMA_WRITE, 0);
	struct ibv_send_wr wr;

	wr = good;
	wr.send_flags = 1u << 20;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	wr = good;
	wr.opcode = (enum ibv_wr_opcode)0xff;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	wr = good;
	wr.opcode = IBV_WR_TSO;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	wr = good;
	assert_int_equal(loop_post(l, l->a, &wr, 0, UINT32_MAX), EINVAL);
}

static void a_list_ends_at_the_first_that_is_refused(void **state)
{
	struct loop *l = *state;
	struct ibv_sge sge = loop_sge(l, 0, 8);
	struct ibv_send_wr wr[3], *bad = NULL;
	struct ibv_wc wc;

	for (int i = 0; i < 3; i++) {
		wr[i] = rdma(l, IBV_WR_RDMA_WRITE, 4096);
		wr[i].wr_id = (uint64_t)i;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	wr[1].num_sge = LOOP_SGE + 1;
	assert_int_equal(ibv_post_send(l->a, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	loop_expect(l, 0, IBV_WC_SUCCESS);
	assert_int_equal(ibv_poll_cq(l->cq, 1, &wc), 0);
}

/* The peer has no receive: nothing of the queue gets done. */
static void a_full_queue_says_so(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	for (int i = 0; i < LOOP_DEPTH; i++)
		assert_int_equal(loop_post(l, l->a, &wr, 0, 1), 0);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), ENOMEM);
}

static void in_err_it_is_accepted_and_flushed(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_send_wr wr = rdma(l, IBV_WR_RDMA_READ, 0);

	assert_int_equal(ibv_modify_qp(l->a, &attr, IBV_QP_STATE), 0);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), 0);
	loop_expect(l, 1, IBV_WC_WR_FLUSH_ERR);
	loop_post_recv(l, l->a, 5, 0, 1);
	loop_expect(l, 5, IBV_WC_WR_FLUSH_ERR);
}

/* What was not polled of the old life is not met in the new one. */
static void reset_takes_its_completions_along(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_send_wr wr = rdma(l, IBV_WR_RDMA_WRITE, 0);
	struct ibv_wc wc;

	loop_post_recv(l, l->a, 5, 0, 1);
	loop_post_recv(l, l->b, 6, 0, 1);
	assert_int_equal(ibv_modify_qp(l->a, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(l->b, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(l->a, &attr, IBV_QP_STATE), 0);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 1), EINVAL);
	/* The neighbour's stays. */
	loop_expect(l, 6, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(ibv_poll_cq(l->cq, 1, &wc), 0);
}

static uint64_t dropped_packets(const struct loop *l)
{
	uint64_t value = 0;

	assert_int_equal(
		softdv_counter_read(l->context, "dropped_pkts", &value), 0);
	return value;
}

static void await_dropped(const struct loop *l, uint64_t count)
{
	uint64_t end_ns = clock_now_ns() + LOOP_PATIENCE_S * NS_PER_S;
	struct ibv_wc wc;

	while (dropped_packets(l) < count) {
		assert_int_equal(ibv_poll_cq(l->cq, 1, &wc), 0);
		assert_true(clock_now_ns() < end_ns);
	}
}

static void uc_has_sends_and_writes_only(void **state)
{
	static const enum ibv_wr_opcode refused[] = {
		IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_CMP_AND_SWP,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_SEND_WITH_INV,
	};
	struct loop *l = *state;
	struct ibv_send_wr wr;
	struct ibv_wc recv;
	uint64_t dropped;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		wr = rdma(l, refused[i], 0);
		wr.wr.atomic.remote_addr = (uintptr_t)l->bytes;
		assert_int_equal(loop_post(l, l->a, &wr, 64, 8), EINVAL);
	}
	sends_carry_data_and_immediate(state);
	writes_reach_memory_alone_or_with_a_receive(state);
	/* Nobody receives, nobody is told. */
	dropped = dropped_packets(l);
	wr = (struct ibv_send_wr){ .wr_id = 3, .opcode = IBV_WR_SEND };
	assert_int_equal(loop_post(l, l->a, &wr, 0, 100), 0);
	loop_expect(l, 3, IBV_WC_SUCCESS);
	await_dropped(l, dropped + 1);
	loop_post_recv(l, l->b, 4, 4096, 100);
	wr.wr_id = 5;
	assert_int_equal(loop_post(l, l->a, &wr, 200, 100), 0);
	loop_expect_both(l, 5, 4, &recv);
	assert_memory_equal(l->bytes + 200, l->bytes + 4096, 100);
}

/* A local error stops the sending of UC, and nothing else. */
static void sqe_accepts_and_flushes_sends(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS,
				    .cur_qp_state = IBV_QPS_SQE };
	struct ibv_sge sge = loop_sge(l, 0, 8);
	struct ibv_send_wr wr = {
		.wr_id = 1, .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1
	};
	struct ibv_send_wr *bad;
	struct ibv_wc recv;

	sge.lkey = l->mr->rkey;
	assert_int_equal(ibv_post_send(l->a, &wr, &bad), 0);
	loop_expect(l, 1, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(loop_state(l->a), IBV_QPS_SQE);
	wr.wr_id = 2;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 8), 0);
	loop_expect(l, 2, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(
		ibv_modify_qp(l->a, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE), 0);
	loop_post_recv(l, l->b, 4, 4096, 8);
	wr.wr_id = 3;
	assert_int_equal(loop_post(l, l->a, &wr, 0, 8), 0);
	loop_expect_both(l, 3, 4, &recv);
}

#define RC_TEST(f) \
	cmocka_unit_test_setup_teardown(f, loop_setup_rc, loop_teardown)
#define UC_TEST(f) \
	cmocka_unit_test_setup_teardown(f, loop_setup_uc, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC_TEST(sends_carry_data_and_immediate),
		RC_TEST(writes_reach_memory_alone_or_with_a_receive),
		RC_TEST(reads_fetch_what_is_there),
		RC_TEST(atomics_change_and_tell_what_was),
		RC_TEST(atomics_are_eight_aligned_bytes),
		RC_TEST(inline_is_for_sends_and_writes),
		RC_TEST(inline_fits_where_a_list_does),
		RC_TEST(what_cannot_be_is_refused_at_once),
		RC_TEST(a_list_ends_at_the_first_that_is_refused),
		RC_TEST(a_full_queue_says_so),
		RC_TEST(in_err_it_is_accepted_and_flushed),
		RC_TEST(reset_takes_its_completions_along),
		UC_TEST(uc_has_sends_and_writes_only),
		UC_TEST(sqe_accepts_and_flushes_sends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
