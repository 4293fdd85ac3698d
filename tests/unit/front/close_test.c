// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A context that is closed with objects left in it: what the kernel would have
 * done with them.  Their memory stays, by intent, and stays known. */
#include "loop_fixture.h"

#include "device/front/limits.h"

static struct loop kept;

/* A second context of the process, with a queue pair connected to one of the
 * first. */
static void the_peer_hears_nothing_any_more(void **state)
{
	struct loop *l = *state;
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND };
	struct ibv_qp_attr quick = {
		.qp_state = IBV_QPS_RTS,
		.timeout = 1,
		.retry_cnt = 1,
		.rnr_retry = 1,
		.max_rd_atomic = 1,
	};
	struct ibv_wc recv;

	assert_int_equal(loop_open(&kept), 0);
	kept.a = loop_qp(&kept, IBV_QPT_RC, NULL);
	assert_non_null(kept.a);
	loop_init(l->a);
	loop_init(kept.a);
	loop_rtr(l, l->a, kept.a->qp_num);
	loop_rtr(&kept, kept.a, l->a->qp_num);
	loop_rts(kept.a);
	assert_int_equal(
		ibv_modify_qp(l->a, &quick,
			      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				      IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				      IBV_QP_MAX_QP_RD_ATOMIC),
		0);
	loop_post_recv(&kept, kept.a, 2, 0, 64);
	loop_post_recv(&kept, kept.a, 3, 0, 64);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 64), 0);
	loop_expect(l, 1, IBV_WC_SUCCESS);
	while (ibv_poll_cq(kept.cq, 1, &recv) == 0)
		;
	assert_int_equal(recv.wr_id, 2);
	assert_int_equal(ibv_close_device(kept.context), 0);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 64), 0);
	loop_expect(l, 1, IBV_WC_RETRY_EXC_ERR);
}

static void its_handles_name_nothing(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_qp_init_attr init;

	(void)state;
	assert_refused(ibv_destroy_qp(kept.a), EINVAL);
	assert_refused(ibv_query_qp(kept.a, &attr, 0, &init), EINVAL);
	assert_int_equal(ibv_post_send(kept.a, &wr, &bad), EINVAL);
	assert_refused(ibv_destroy_cq(kept.cq), EINVAL);
	assert_refused(ibv_destroy_ah(kept.ah), EINVAL);
	assert_refused(ibv_dereg_mr(kept.mr), EINVAL);
	assert_refused(ibv_dealloc_pd(kept.pd), EINVAL);
}

/* Many times over: their places are free again. */
static void what_they_took_is_free_again(void **state)
{
	static struct ibv_pd *pds[LIMIT_max_pd + 10];

	(void)state;
	for (int i = 0; i < LIMIT_max_pd + 10; i++) {
		struct ibv_context *context = front_open();

		pds[i] = ibv_alloc_pd(context);
		assert_non_null(pds[i]);
		assert_int_equal(ibv_close_device(context), 0);
	}
}

static int setup(void **state)
{
	static struct loop l;

	if (loop_open(&l))
		return -1;
	l.a = loop_qp(&l, IBV_QPT_RC, NULL);
	*state = &l;
	return l.a ? 0 : -1;
}

static int teardown(void **state)
{
	struct loop *l = *state;

	return ibv_destroy_qp(l->a) || loop_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peer_hears_nothing_any_more),
		cmocka_unit_test(its_handles_name_nothing),
		cmocka_unit_test(what_they_took_is_free_again),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
