// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits that the user has lowered, and the largest message of all. */
#include "loop_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "device/front/limits.h"

enum {
	FEW = 3,
	MESSAGE_SGES = 16,
	MESSAGE_PATIENCE_S = 120,
};

static void limits_clear(void)
{
	const char *name;
	uint32_t most;

	for (size_t i = 0; (name = limits_variable(i, &most)); i++)
		unsetenv(name);
}

/* All of them at once. */
static int limits_setup(void **state)
{
	const char *name;
	uint32_t most;
	char text[16];

	for (size_t i = 0; (name = limits_variable(i, &most)); i++) {
		snprintf(text, sizeof(text), "%u", FEW + (unsigned)i);
		setenv(name, text, 1);
	}
	return front_setup(state);
}

static int limits_teardown(void **state)
{
	int err = front_teardown(state);

	limits_clear();
	return err;
}

static void lowered_limits_are_reported(void **state)
{
	struct ibv_device_attr d;
	struct ibv_port_attr port;

	assert_int_equal(ibv_query_device(*state, &d), 0);
	assert_int_equal(ibv_query_port(*state, 1, &port), 0);
	assert_int_equal(d.max_qp, limit_max_qp());
	assert_int_equal(d.max_qp_wr, limit_max_qp_wr());
	assert_int_equal(d.max_sge, limit_max_sge());
	assert_int_equal(d.max_qp_rd_atom, limit_max_rd_atom());
	assert_int_equal(d.max_cq, limit_max_cq());
	assert_int_equal(d.max_cqe, limit_max_cqe());
	assert_int_equal(d.max_mr, limit_max_mr());
	assert_int_equal(d.max_pd, limit_max_pd());
	assert_int_equal(d.max_ah, limit_max_ah());
	assert_int_equal(d.max_mw, limit_max_mw());
	assert_int_equal(d.max_srq, limit_max_srq());
	assert_int_equal(d.max_srq_wr, limit_max_srq_wr());
	assert_int_equal(d.max_srq_sge, limit_max_srq_sge());
	assert_int_equal(port.max_msg_sz, limit_max_msg_bytes());
	assert_int_equal(limit_max_qp(), FEW);
	assert_int_equal(limit_max_qp_wr(), FEW + 1);
}

/* Exactly as many as there may be, then one more, by @make; all of them are
 * destroyed by @end. */
static void limits_exhaust(struct loop *l, uint32_t most,
			   void *(*make)(struct loop *l), int (*end)(void *))
{
	void *all[64];

	assert_true(most < ARRAY_SIZE(all));
	for (uint32_t i = 0; i < most; i++) {
		all[i] = make(l);
		assert_non_null(all[i]);
	}
	assert_no_object(make(l), ENOMEM);
	for (uint32_t i = 0; i < most; i++)
		assert_int_equal(end(all[i]), 0);
}

static void *make_pd(struct loop *l)
{
	return ibv_alloc_pd(l->context);
}

static int end_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static void *make_cq(struct loop *l)
{
	return ibv_create_cq(l->context, 1, NULL, NULL, 0);
}

static int end_cq(void *cq)
{
	return ibv_destroy_cq(cq);
}

static void *make_mr(struct loop *l)
{
	return ibv_reg_mr(l->pd, l->bytes, LOOP_BYTES, 0);
}

static int end_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static void *make_mw(struct loop *l)
{
	return ibv_alloc_mw(l->pd, IBV_MW_TYPE_1);
}

static int end_mw(void *mw)
{
	return ibv_dealloc_mw(mw);
}

static void *make_ah(struct loop *l)
{
	struct ibv_ah_attr av = loop_av(l);

	return ibv_create_ah(l->pd, &av);
}

static int end_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

static void *make_srq(struct loop *l)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1,
						    .max_sge = 1 } };

	return ibv_create_srq(l->pd, &init);
}

static int end_srq(void *srq)
{
	return ibv_destroy_srq(srq);
}

static void *make_qp(struct loop *l)
{
	struct ibv_qp_init_attr init = {
		.send_cq = l->cq,
		.recv_cq = l->cq,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1 },
		.qp_type = IBV_QPT_RC,
	};

	return ibv_create_qp(l->pd, &init);
}

static int end_qp(void *qp)
{
	return ibv_destroy_qp(qp);
}

static void lowered_limits_are_kept(void **state)
{
	static struct loop l;

	l.context = *state;
	limits_exhaust(&l, limit_max_pd(), make_pd, end_pd);
	limits_exhaust(&l, limit_max_cq(), make_cq, end_cq);
	l.pd = ibv_alloc_pd(l.context);
	l.cq = ibv_create_cq(l.context, 1, NULL, NULL, 0);
	assert_non_null(l.pd);
	assert_non_null(l.cq);
	limits_exhaust(&l, limit_max_mr(), make_mr, end_mr);
	limits_exhaust(&l, limit_max_mw(), make_mw, end_mw);
	limits_exhaust(&l, limit_max_ah(), make_ah, end_ah);
	limits_exhaust(&l, limit_max_srq(), make_srq, end_srq);
	limits_exhaust(&l, limit_max_qp(), make_qp, end_qp);
	assert_int_equal(ibv_destroy_cq(l.cq), 0);
	assert_int_equal(ibv_dealloc_pd(l.pd), 0);
	assert_no_object(ibv_create_cq(l.context, (int)limit_max_cqe() + 1,
				       NULL, NULL, 0),
			 EINVAL);
}

static void limits_wait(struct ibv_cq *cq, enum ibv_wc_opcode opcode,
			uint32_t bytes)
{
	uint64_t end_ns = clock_now_ns() + MESSAGE_PATIENCE_S * NS_PER_S;
	struct ibv_wc wc;
	int n;

	do {
		n = ibv_poll_cq(cq, 1, &wc);
		assert_true(n >= 0 && clock_now_ns() < end_ns);
	} while (n == 0);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, opcode);
	if (opcode == IBV_WC_RECV)
		assert_int_equal(wc.byte_len, bytes);
}

/*
 * 2^31 bytes, out of the same memory sixteen times, and into it: the copy that
 * came last is all that is left of it.  One byte more is refused.
 */
static void the_largest_message_arrives(void **state)
{
	static struct loop l;
	const size_t piece = LIMIT_max_msg_bytes / MESSAGE_SGES;
	struct ibv_sge from[MESSAGE_SGES], to[MESSAGE_SGES];
	struct ibv_send_wr send = { .sg_list = from,
				    .num_sge = MESSAGE_SGES,
				    .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED };
	struct ibv_recv_wr recv = { .sg_list = to, .num_sge = MESSAGE_SGES };
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = 1,
			 .max_send_sge = MESSAGE_SGES,
			 .max_recv_sge = MESSAGE_SGES },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_send_wr *bad_send;
	struct ibv_recv_wr *bad_recv;
	struct ibv_cq *receives;
	struct ibv_mr *mr;
	uint8_t *memory;

	assert_int_equal(loop_open(&l), 0);
	memory = mmap(NULL, 2 * piece + 1, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	mr = ibv_reg_mr(l.pd, memory, 2 * piece + 1, LOOP_ACCESS);
	assert_non_null(mr);
	memory[0] = 0x5a;
	memory[piece - 1] = 0xa5;
	for (int i = 0; i < MESSAGE_SGES; i++) {
		from[i] = (struct ibv_sge){ .addr = (uintptr_t)memory,
					    .length = (uint32_t)piece,
					    .lkey = mr->lkey };
		to[i] = from[i];
		to[i].addr += piece;
	}
	receives = ibv_create_cq(l.context, 1, NULL, NULL, 0);
	init.send_cq = l.cq;
	init.recv_cq = receives;
	l.a = ibv_create_qp(l.pd, &init);
	l.b = ibv_create_qp(l.pd, &init);
	loop_connect(&l, l.a, l.b);

	from[0].length++;
	assert_int_equal(ibv_post_send(l.a, &send, &bad_send), EINVAL);
	from[0].length--;
	assert_int_equal(ibv_post_recv(l.b, &recv, &bad_recv), 0);
	assert_int_equal(ibv_post_send(l.a, &send, &bad_send), 0);
	limits_wait(l.cq, IBV_WC_SEND, 0);
	limits_wait(receives, IBV_WC_RECV, LIMIT_max_msg_bytes);
	assert_memory_equal(memory, memory + piece, piece);

	assert_int_equal(ibv_destroy_qp(l.a), 0);
	assert_int_equal(ibv_destroy_qp(l.b), 0);
	assert_int_equal(ibv_destroy_cq(receives), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	munmap(memory, 2 * piece + 1);
	assert_int_equal(ibv_destroy_ah(l.ah), 0);
	assert_int_equal(ibv_dereg_mr(l.mr), 0);
	assert_int_equal(ibv_destroy_cq(l.cq), 0);
	assert_int_equal(ibv_dealloc_pd(l.pd), 0);
	assert_int_equal(ibv_close_device(l.context), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lowered_limits_are_reported,
						limits_setup, limits_teardown),
		cmocka_unit_test_setup_teardown(lowered_limits_are_kept,
						limits_setup, limits_teardown),
		cmocka_unit_test(the_largest_message_arrives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
