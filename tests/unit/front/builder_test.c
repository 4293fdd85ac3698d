// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* ibv_wr_*(): what is built is what ibv_post_send() would have posted, all of
 * it or nothing. */
#include "loop_fixture.h"

#include <arpa/inet.h>
#include <pthread.h>

#define ALL_RC                                                            \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | \
	 IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |             \
	 IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |   \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_LOCAL_INV | \
	 IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_SEND_WITH_INV)

static struct ibv_qp *make(const struct loop *l, enum ibv_qp_type type,
			   uint64_t ops)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = l->cq,
		.recv_cq = l->cq,
		.cap = loop_cap(),
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = l->pd,
		.send_ops_flags = ops,
	};

	return ibv_create_qp_ex(l->context, &init);
}

static int setup_type(void **state, enum ibv_qp_type type, uint64_t ops)
{
	static struct loop l;

	if (loop_open(&l))
		return -1;
	l.a = make(&l, type, ops);
	l.b = make(&l, type, ops);
	if (!l.a || !l.b)
		return -1;
	loop_connect(&l, l.a, l.b);
	*state = &l;
	return 0;
}

static int setup_rc(void **state)
{
	return setup_type(state, IBV_QPT_RC, ALL_RC);
}

static int setup_ud(void **state)
{
	return setup_type(state, IBV_QPT_UD,
			  IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM);
}

static struct ibv_qp_ex *start(struct ibv_qp *qp)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);

	assert_non_null(ex);
	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	return ex;
}

static void set_sge(const struct loop *l, struct ibv_qp_ex *ex, size_t at,
		    uint32_t length)
{
	ibv_wr_set_sge(ex, l->mr->lkey, (uintptr_t)l->bytes + at, length);
}

static void sends_in_every_form(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_ex *ex = start(l->a);
	struct ibv_wc recv;

	ex->wr_id = 1;
	ibv_wr_send(ex);
	set_sge(l, ex, 0, 1500);
	loop_post_recv(l, l->b, 2, 4096, 2000);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(recv.byte_len, 1500);
	assert_memory_equal(l->bytes, l->bytes + 4096, 1500);
	start(l->a);
	ibv_wr_send_imm(ex, htonl(9));
	loop_post_recv(l, l->b, 2, 4096, 2000);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_int_equal(recv.byte_len, 0);
	assert_int_equal(recv.imm_data, htonl(9));
}

static void writes_reads_and_atomics(void **state)
{
	struct loop *l = *state;
	uint64_t to = (uintptr_t)l->bytes + 4096;
	volatile uint64_t *word = (uint64_t *)(l->bytes + 4096);
	volatile uint64_t *found = (uint64_t *)(l->bytes + 512);
	struct ibv_qp_ex *ex = start(l->a);
	struct ibv_sge list[2] = { loop_sge(l, 0, 10), loop_sge(l, 50, 20) };
	struct ibv_wc recv;

	ex->wr_id = 1;
	ibv_wr_rdma_write(ex, l->mr->rkey, to);
	ibv_wr_set_sge_list(ex, 2, list);
	ex->wr_id = 2;
	ex->wr_flags |= IBV_SEND_FENCE;
	ibv_wr_rdma_read(ex, l->mr->rkey, to);
	set_sge(l, ex, 1024, 30);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	loop_expect(l, 2, IBV_WC_SUCCESS);
	assert_memory_equal(l->bytes + 1024, l->bytes, 10);
	assert_memory_equal(l->bytes + 1034, l->bytes + 50, 20);
	*word = 40;
	start(l->a);
	ibv_wr_atomic_fetch_add(ex, l->mr->rkey, to, 2);
	set_sge(l, ex, 512, 8);
	ibv_wr_atomic_cmp_swp(ex, l->mr->rkey, to, 42, 7);
	set_sge(l, ex, 520, 8);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect(l, 2, IBV_WC_SUCCESS);
	loop_expect(l, 2, IBV_WC_SUCCESS);
	assert_true(found[0] == 40 && found[1] == 42 && *word == 7);
	start(l->a);
	ibv_wr_rdma_write_imm(ex, l->mr->rkey, to, htonl(3));
	set_sge(l, ex, 0, 8);
	loop_post_recv(l, l->b, 5, 0, 0);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect_both(l, 2, 5, &recv);
	assert_int_equal(recv.imm_data, htonl(3));
}

static void inline_data_is_copied_by_the_setter(void **state)
{
	struct loop *l = *state;
	uint8_t data[LOOP_INLINE] = { 1, 2, 3 }, same[LOOP_INLINE];
	struct ibv_data_buf bufs[2] = { { data, 3 }, { data, 4 } };
	struct ibv_qp_ex *ex = start(l->a);

	memcpy(same, data, sizeof(data));
	ex->wr_id = 1;
	ibv_wr_rdma_write(ex, l->mr->rkey, (uintptr_t)l->bytes);
	ibv_wr_set_inline_data(ex, data, sizeof(data));
	ibv_wr_rdma_write(ex, l->mr->rkey, (uintptr_t)l->bytes + 100);
	ibv_wr_set_inline_data_list(ex, 2, bufs);
	memset(data, 0xff, sizeof(data));
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_memory_equal(l->bytes, same, sizeof(same));
	assert_memory_equal(l->bytes + 100, same, 3);
	assert_memory_equal(l->bytes + 103, same, 4);
	/* The last setter counts. */
	start(l->a);
	ibv_wr_rdma_write(ex, l->mr->rkey, (uintptr_t)l->bytes + 200);
	ibv_wr_set_inline_data(ex, data, 8);
	set_sge(l, ex, 0, 4);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	assert_memory_equal(l->bytes + 200, same, 4);
}

static void windows_are_bound_and_invalidated(void **state)
{
	struct loop *l = *state;
	struct ibv_mw *mw = ibv_alloc_mw(l->pd, IBV_MW_TYPE_2);
	uint32_t rkey = ibv_inc_rkey(mw->rkey);
	struct ibv_mw_bind_info info = {
		.mr = l->mr,
		.addr = (uintptr_t)l->bytes,
		.length = 8,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct ibv_qp_ex *ex = start(l->b);
	struct ibv_wc recv;

	ex->wr_id = 1;
	ibv_wr_bind_mw(ex, mw, rkey, &info);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	loop_write(l, l->a, rkey, info.addr, 100, IBV_WC_SUCCESS);
	start(l->b);
	ibv_wr_local_inv(ex, rkey);
	rkey = ibv_inc_rkey(rkey);
	ibv_wr_bind_mw(ex, mw, rkey, &info);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	ex = start(l->a);
	ex->wr_id = 3;
	ibv_wr_send_inv(ex, rkey);
	loop_post_recv(l, l->b, 4, 0, 0);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect_both(l, 3, 4, &recv);
	assert_int_equal(recv.invalidated_rkey, rkey);
	loop_write(l, l->a, rkey, info.addr, 100, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(ibv_dealloc_mw(mw), 0);
}

static void datagrams_have_an_address(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_ex *ex = start(l->a);
	struct ibv_wc recv;

	ex->wr_id = 1;
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, l->ah, l->b->qp_num, LOOP_QKEY);
	set_sge(l, ex, 0, 100);
	loop_post_recv(l, l->b, 2, 4096, 140);
	assert_int_equal(ibv_wr_complete(ex), 0);
	loop_expect_both(l, 1, 2, &recv);
	assert_memory_equal(l->bytes, l->bytes + 4096 + 40, 100);
	/* Without, it goes nowhere. */
	start(l->a);
	ibv_wr_send(ex);
	assert_int_equal(ibv_wr_complete(ex), EINVAL);
}

/* The batch fails with @code, and nothing of it was posted. */
static void expect_refused(const struct loop *l, struct ibv_qp_ex *ex, int code)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_wr_complete(ex), code);
	assert_int_equal(ibv_poll_cq(l->cq, 1, &wc), 0);
	/* The next one does not remember. */
	loop_write(l, l->a, l->mr->rkey, (uintptr_t)l->bytes, 8,
		   IBV_WC_SUCCESS);
}

static void faults_are_told_at_the_end(void **state)
{
	struct loop *l = *state;
	uint8_t data[LOOP_INLINE + 1] = { 0 };
	struct ibv_sge list[LOOP_SGE + 1] = { { 0 } };
	struct ibv_qp_ex *ex = start(l->a);

	ibv_wr_rdma_write(ex, l->mr->rkey, (uintptr_t)l->bytes);
	ibv_wr_rdma_write(ex, l->mr->rkey, (uintptr_t)l->bytes);
	ibv_wr_set_inline_data(ex, data, sizeof(data));
	expect_refused(l, ex, EINVAL);
	start(l->a);
	ibv_wr_rdma_write(ex, l->mr->rkey, (uintptr_t)l->bytes);
	ibv_wr_set_sge_list(ex, LOOP_SGE + 1, list);
	expect_refused(l, ex, EINVAL);
	start(l->a);
	set_sge(l, ex, 0, 1);
	expect_refused(l, ex, EINVAL);
	start(l->a);
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, l->ah, 1, 1);
	expect_refused(l, ex, EINVAL);
	start(l->a);
	ibv_wr_atomic_fetch_add(ex, l->mr->rkey, (uintptr_t)l->bytes + 1, 1);
	set_sge(l, ex, 0, 8);
	expect_refused(l, ex, EINVAL);
	start(l->a);
	for (int i = 0; i <= LOOP_DEPTH; i++)
		ibv_wr_send(ex);
	expect_refused(l, ex, ENOMEM);
}

static void an_aborted_batch_was_never_posted(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_ex *ex = start(l->a);
	struct ibv_wc wc;

	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	assert_int_equal(ibv_poll_cq(l->cq, 1, &wc), 0);
	loop_write(l, l->a, l->mr->rkey, (uintptr_t)l->bytes, 8,
		   IBV_WC_SUCCESS);
	start(l->a);
	assert_int_equal(ibv_wr_complete(ex), 0);
}

/* The slots that it was not made for, and those that a newer header has behind
 * the last of ours. */
static void slots_without_an_operation_refuse(void **state)
{
	struct loop *l = *state;
	struct ibv_qp *qp = make(l, IBV_QPT_RC, IBV_QP_EX_WITH_SEND);
	struct ibv_qp_ex *ex;
	void (*beyond)(struct ibv_qp_ex *);
	uint64_t word = 0;

	assert_non_null(qp);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 1);
	assert_int_equal(ibv_wr_complete(ex), EOPNOTSUPP);
	ibv_wr_start(ex);
	ibv_wr_send_tso(ex, NULL, 0, 0);
	assert_int_equal(ibv_wr_complete(ex), EOPNOTSUPP);
	ibv_wr_start(ex);
	ibv_wr_atomic_write(ex, 1, 8, &word);
	assert_int_equal(ibv_wr_complete(ex), EOPNOTSUPP);
	ibv_wr_start(ex);
	ibv_wr_set_xrc_srqn(ex, 1);
	assert_int_equal(ibv_wr_complete(ex), EOPNOTSUPP);
	for (int i = 0; i < 8; i++) {
		memcpy(&beyond, (char *)(ex + 1) + i * sizeof(beyond),
		       sizeof(beyond));
		ibv_wr_start(ex);
		beyond(ex);
		assert_int_equal(ibv_wr_complete(ex), EOPNOTSUPP);
	}
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

static void what_is_not_served_is_refused_at_creation(void **state)
{
	struct loop *l = *state;
	struct ibv_qp_init_attr_ex init = {
		.send_cq = l->cq,
		.recv_cq = l->cq,
		.cap = loop_cap(),
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.pd = l->pd,
	};
	struct ibv_qp *qp;

	assert_no_object(make(l, IBV_QPT_RC, IBV_QP_EX_WITH_TSO), EOPNOTSUPP);
	assert_no_object(make(l, IBV_QPT_RC, IBV_QP_EX_WITH_ATOMIC_WRITE),
			 EOPNOTSUPP);
	assert_no_object(make(l, IBV_QPT_UC, IBV_QP_EX_WITH_RDMA_READ),
			 EOPNOTSUPP);
	assert_no_object(make(l, IBV_QPT_UD, IBV_QP_EX_WITH_RDMA_WRITE),
			 EOPNOTSUPP);
	init.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
	assert_no_object(ibv_create_qp_ex(l->context, &init), EOPNOTSUPP);
	init.create_flags = 0;
	qp = ibv_create_qp_ex(l->context, &init);
	assert_non_null(qp);
	/* Made without builders. */
	assert_no_object(ibv_qp_to_qp_ex(qp), EOPNOTSUPP);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	init.comp_mask = 0;
	assert_no_object(ibv_create_qp_ex(l->context, &init), EINVAL);
	init.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
	assert_no_object(ibv_create_qp_ex(l->context, &init), EOPNOTSUPP);
}

enum { THREADS = 4, BATCHES = 200 };

static void *batches_main(void *arg)
{
	struct loop *l = arg;

	for (int i = 0; i < BATCHES;) {
		struct ibv_qp_ex *ex = start(l->a);
		int err;

		for (int k = 0; k < 2; k++) {
			ex->wr_id = (uint64_t)k;
			ibv_wr_atomic_fetch_add(ex, l->mr->rkey,
						(uintptr_t)l->bytes, 1);
			set_sge(l, ex, 64, 8);
		}
		err = ibv_wr_complete(ex);
		if (err && err != ENOMEM)
			return (void *)1;
		i += !err;
	}
	return NULL;
}

/* Threads share the queue; batches stay in one piece. */
static void batches_of_threads_do_not_mix(void **state)
{
	struct loop *l = *state;
	volatile uint64_t *word = (uint64_t *)l->bytes;
	pthread_t threads[THREADS];
	void *result;

	/* Room for all: who posts does not wait for who polls. */
	assert_int_equal(ibv_resize_cq(l->cq, 2 * THREADS * BATCHES), 0);
	*word = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, batches_main, l), 0);
	for (int i = 0; i < THREADS * BATCHES; i++) {
		loop_expect(l, 0, IBV_WC_SUCCESS);
		loop_expect(l, 1, IBV_WC_SUCCESS);
	}
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_null(result);
	}
	assert_true(*word == 2 * THREADS * BATCHES);
}

#define RC_TEST(f) cmocka_unit_test_setup_teardown(f, setup_rc, loop_teardown)
#define UD_TEST(f) cmocka_unit_test_setup_teardown(f, setup_ud, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC_TEST(sends_in_every_form),
		RC_TEST(writes_reads_and_atomics),
		RC_TEST(inline_data_is_copied_by_the_setter),
		RC_TEST(windows_are_bound_and_invalidated),
		UD_TEST(datagrams_have_an_address),
		RC_TEST(faults_are_told_at_the_end),
		RC_TEST(an_aborted_batch_was_never_posted),
		RC_TEST(slots_without_an_operation_refuse),
		RC_TEST(what_is_not_served_is_refused_at_creation),
		RC_TEST(batches_of_threads_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
