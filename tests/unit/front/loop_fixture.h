/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two queue pairs of our device, connected to each other within the process,
 * and memory for both.  Includes cmocka.
 */
#ifndef TESTS_UNIT_FRONT_LOOP_FIXTURE_H
#define TESTS_UNIT_FRONT_LOOP_FIXTURE_H

#include "front_fixture.h"

#include <stdbool.h>

#include "base/clock.h"

enum {
	LOOP_BYTES = 8192,
	LOOP_DEPTH = 8,
	LOOP_SGE = 4,
	LOOP_INLINE = 64,
	LOOP_QKEY = 0x1234,
	/* Long enough for any machine: only a failing test waits for it. */
	LOOP_PATIENCE_S = 10,
};

enum {
	LOOP_ACCESS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		      IBV_ACCESS_MW_BIND,
};

struct loop {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq; /* of all queues */
	uint8_t bytes[LOOP_BYTES] __attribute__((aligned(64)));
	struct ibv_mr *mr;
	struct ibv_qp *a, *b;
	struct ibv_ah *ah; /* to ourselves; UD */
};

static inline struct ibv_qp_cap loop_cap(void)
{
	return (struct ibv_qp_cap){ .max_send_wr = LOOP_DEPTH,
				    .max_recv_wr = LOOP_DEPTH,
				    .max_send_sge = LOOP_SGE,
				    .max_recv_sge = LOOP_SGE,
				    .max_inline_data = LOOP_INLINE };
}

static inline struct ibv_ah_attr loop_av(const struct loop *l)
{
	struct ibv_ah_attr av = { .is_global = 1, .port_num = 1 };

	assert_int_equal(ibv_query_gid(l->context, 1, 0, &av.grh.dgid), 0);
	return av;
}

static inline void loop_init(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = LOOP_ACCESS,
		.qkey = LOOP_QKEY,
	};
	int mask = IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX;

	mask |= qp->qp_type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

static inline void loop_rtr(const struct loop *l, struct ibv_qp *qp,
			    uint32_t dest_qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = loop_av(l),
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = dest_qpn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
	};
	int mask = IBV_QP_STATE;

	if (qp->qp_type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

static inline void loop_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (qp->qp_type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	assert_int_equal(ibv_modify_qp(qp, &attr, mask), 0);
}

static inline void loop_connect(const struct loop *l, struct ibv_qp *a,
				struct ibv_qp *b)
{
	loop_init(a);
	loop_init(b);
	loop_rtr(l, a, b->qp_num);
	loop_rtr(l, b, a->qp_num);
	loop_rts(a);
	loop_rts(b);
}

static inline struct ibv_qp *loop_qp(const struct loop *l,
				     enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = l->cq,
		.recv_cq = l->cq,
		.srq = srq,
		.cap = loop_cap(),
		.qp_type = type,
		.sq_sig_all = 1,
	};

	return ibv_create_qp(l->pd, &init);
}

/* Everything but the queue pairs. */
static inline int loop_open(struct loop *l)
{
	struct ibv_ah_attr av;

	l->context = front_open();
	if (!l->context)
		return -1;
	l->pd = ibv_alloc_pd(l->context);
	l->cq = ibv_create_cq(l->context, 64, NULL, NULL, 0);
	l->mr = ibv_reg_mr(l->pd, l->bytes, LOOP_BYTES, LOOP_ACCESS);
	if (!l->pd || !l->cq || !l->mr)
		return -1;
	av = loop_av(l);
	l->ah = ibv_create_ah(l->pd, &av);
	for (int i = 0; i < LOOP_BYTES; i++)
		l->bytes[i] = (uint8_t)(i * 31 + i / 256);
	return l->ah ? 0 : -1;
}

static inline int loop_setup_type(void **state, enum ibv_qp_type type)
{
	static struct loop l;

	if (loop_open(&l))
		return -1;
	l.a = loop_qp(&l, type, NULL);
	l.b = loop_qp(&l, type, NULL);
	if (!l.a || !l.b)
		return -1;
	loop_connect(&l, l.a, l.b);
	*state = &l;
	return 0;
}

static inline int loop_setup_rc(void **state)
{
	return loop_setup_type(state, IBV_QPT_RC);
}

static inline int loop_setup_uc(void **state)
{
	return loop_setup_type(state, IBV_QPT_UC);
}

static inline int loop_setup_ud(void **state)
{
	return loop_setup_type(state, IBV_QPT_UD);
}

static inline int loop_close(struct loop *l)
{
	return ibv_destroy_ah(l->ah) || ibv_dereg_mr(l->mr) ||
	       ibv_destroy_cq(l->cq) || ibv_dealloc_pd(l->pd) ||
	       ibv_close_device(l->context);
}

static inline int loop_teardown(void **state)
{
	struct loop *l = *state;

	return ibv_destroy_qp(l->a) || ibv_destroy_qp(l->b) || loop_close(l);
}

/* The next completion; the test fails when none comes. */
static inline struct ibv_wc loop_poll(const struct loop *l)
{
	uint64_t end_ns = clock_now_ns() + LOOP_PATIENCE_S * NS_PER_S;
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(l->cq, 1, &wc)) == 0)
		assert_true(clock_now_ns() < end_ns);
	assert_int_equal(n, 1);
	return wc;
}

static inline void loop_expect(const struct loop *l, uint64_t wr_id,
			       enum ibv_wc_status status)
{
	struct ibv_wc wc = loop_poll(l);

	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, status);
}

/* Both of a request's completions, in whichever order they come. */
static inline void loop_expect_both(const struct loop *l, uint64_t send_id,
				    uint64_t recv_id, struct ibv_wc *recv)
{
	bool sent = false, received = false;

	for (int i = 0; i < 2; i++) {
		struct ibv_wc wc = loop_poll(l);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		if (wc.wr_id == send_id) {
			sent = true;
		} else {
			assert_int_equal(wc.wr_id, recv_id);
			received = true;
			*recv = wc;
		}
	}
	assert_true(sent && received);
}

static inline struct ibv_sge loop_sge(const struct loop *l, size_t at,
				      uint32_t length)
{
	return (struct ibv_sge){ .addr = (uintptr_t)l->bytes + at,
				 .length = length,
				 .lkey = l->mr->lkey };
}

static inline void loop_post_recv(const struct loop *l, struct ibv_qp *qp,
				  uint64_t wr_id, size_t at, uint32_t length)
{
	struct ibv_sge sge = loop_sge(l, at, length);
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_recv_wr *bad;

	assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
}

/* Post @wr with @length bytes from @at; what the post says. */
static inline int loop_post(const struct loop *l, struct ibv_qp *qp,
			    struct ibv_send_wr *wr, size_t at, uint32_t length)
{
	struct ibv_sge sge = loop_sge(l, at, length);
	struct ibv_send_wr *bad = NULL;
	int err;

	wr->sg_list = &sge;
	wr->num_sge = 1;
	err = ibv_post_send(qp, wr, &bad);
	if (err)
		assert_ptr_equal(bad, wr);
	return err;
}

static inline enum ibv_qp_state loop_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

/* An RDMA WRITE of one byte from @at to @va, and how it ends. */
static inline void loop_write(const struct loop *l, struct ibv_qp *qp,
			      uint32_t rkey, uint64_t va, size_t at,
			      enum ibv_wc_status status)
{
	struct ibv_send_wr wr = {
		.wr_id = 77,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = va, .rkey = rkey },
	};

	assert_int_equal(loop_post(l, qp, &wr, at, 1), 0);
	loop_expect(l, 77, status);
}

#endif
