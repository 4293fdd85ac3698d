// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Extended completion queues. */
#include "loop_fixture.h"

#include <arpa/inet.h>

#define STAMPS                                 \
	(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)

static struct ibv_cq_ex *make(struct ibv_context *context, uint64_t wc_flags,
			      uint32_t flags)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16,
		.cq_context = context,
		.wc_flags = wc_flags,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = flags,
	};

	return ibv_create_cq_ex(context, &attr);
}

struct extended {
	struct loop l;
	struct ibv_cq_ex *cq;
};

/* The queue pairs of the loop complete into an extended CQ. */
static int setup_flags(void **state, uint32_t flags)
{
	static struct extended x;

	if (loop_open(&x.l) || ibv_destroy_cq(x.l.cq))
		return -1;
	x.cq = make(x.l.context, IBV_WC_STANDARD_FLAGS | STAMPS, flags);
	if (!x.cq)
		return -1;
	x.l.cq = ibv_cq_ex_to_cq(x.cq);
	x.l.a = loop_qp(&x.l, IBV_QPT_RC, NULL);
	x.l.b = loop_qp(&x.l, IBV_QPT_RC, NULL);
	if (!x.l.a || !x.l.b)
		return -1;
	loop_connect(&x.l, x.l.a, x.l.b);
	*state = &x;
	return 0;
}

static int setup(void **state)
{
	return setup_flags(state, 0);
}

static int setup_single(void **state)
{
	return setup_flags(state, IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
}

static void wait_start(struct ibv_cq_ex *cq)
{
	uint64_t end_ns = clock_now_ns() + LOOP_PATIENCE_S * NS_PER_S;
	struct ibv_poll_cq_attr attr = { 0 };
	int err;

	while ((err = ibv_start_poll(cq, &attr)) == ENOENT)
		assert_true(clock_now_ns() < end_ns);
	assert_int_equal(err, 0);
}

static void post_send_imm(const struct loop *l)
{
	struct ibv_send_wr wr = { .wr_id = 1,
				  .opcode = IBV_WR_SEND_WITH_IMM,
				  .imm_data = htonl(77) };

	loop_post_recv(l, l->b, 2, 4096, 1000);
	assert_int_equal(loop_post(l, l->a, &wr, 0, 321), 0);
}

static void fields_are_read_by_functions(void **state)
{
	struct extended *x = *state;
	uint64_t before_ns = clock_now_ns(), before_wall_ns = clock_wall_ns();
	bool received = false;

	post_send_imm(&x->l);
	for (int i = 0; i < 2; i++) {
		uint64_t ts, wall;

		wait_start(x->cq);
		assert_int_equal(x->cq->status, IBV_WC_SUCCESS);
		ts = ibv_wc_read_completion_ts(x->cq);
		wall = ibv_wc_read_completion_wallclock_ns(x->cq);
		assert_true(ts >= before_ns && ts <= clock_now_ns());
		assert_true(wall >= before_wall_ns && wall <= clock_wall_ns());
		assert_int_equal(ibv_wc_read_vendor_err(x->cq), 0);
		assert_int_equal(ibv_wc_read_slid(x->cq), 0);
		assert_int_equal(ibv_wc_read_sl(x->cq), 0);
		assert_int_equal(ibv_wc_read_dlid_path_bits(x->cq), 0);
		if (x->cq->wr_id == 2) {
			received = true;
			assert_int_equal(ibv_wc_read_opcode(x->cq),
					 IBV_WC_RECV);
			assert_int_equal(ibv_wc_read_byte_len(x->cq), 321);
			assert_int_equal(ibv_wc_read_imm_data(x->cq),
					 htonl(77));
			assert_int_equal(ibv_wc_read_qp_num(x->cq),
					 x->l.b->qp_num);
			assert_int_equal(ibv_wc_read_src_qp(x->cq),
					 x->l.a->qp_num);
			assert_int_equal(ibv_wc_read_wc_flags(x->cq),
					 IBV_WC_WITH_IMM);
		} else {
			assert_int_equal(x->cq->wr_id, 1);
			assert_int_equal(ibv_wc_read_opcode(x->cq),
					 IBV_WC_SEND);
		}
		ibv_end_poll(x->cq);
	}
	assert_true(received);
	assert_int_equal(x->cq->start_poll(x->cq, NULL), ENOENT);
}

/* Inside the poll the application may post and poll. */
static void entries_come_one_by_one(void **state)
{
	struct extended *x = *state;
	uint64_t end_ns = clock_now_ns() + LOOP_PATIENCE_S * NS_PER_S;
	int seen = 1;

	for (int i = 0; i < 2; i++)
		post_send_imm(&x->l);
	wait_start(x->cq);
	post_send_imm(&x->l);
	while (seen < 6) {
		int err = ibv_next_poll(x->cq);

		assert_true(err == 0 || err == ENOENT);
		seen += !err;
		assert_true(clock_now_ns() < end_ns);
	}
	assert_int_equal(ibv_next_poll(x->cq), ENOENT);
	ibv_end_poll(x->cq);
}

/* What poll_cq finds is the same, and errors have their status. */
static void the_plain_call_polls_it_too(void **state)
{
	struct extended *x = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_wc recv;

	post_send_imm(&x->l);
	loop_expect_both(&x->l, 1, 2, &recv);
	loop_post_recv(&x->l, x->l.b, 3, 0, 1);
	assert_int_equal(ibv_modify_qp(x->l.b, &attr, IBV_QP_STATE), 0);
	wait_start(x->cq);
	assert_int_equal(x->cq->wr_id, 3);
	assert_int_equal(x->cq->status, IBV_WC_WR_FLUSH_ERR);
	ibv_end_poll(x->cq);
}

static void unknown_wishes_are_refused(void **state)
{
	struct extended *x = *state;
	struct ibv_poll_cq_attr poll = { .comp_mask = 1 };
	struct ibv_cq_init_attr_ex attr = { .cqe = 1 };
	struct ibv_context *context = x->l.context;
	struct ibv_cq_ex *cq;

	assert_no_object(make(context, IBV_WC_EX_WITH_CVLAN, 0), EOPNOTSUPP);
	assert_no_object(make(context, IBV_WC_EX_WITH_FLOW_TAG, 0), EOPNOTSUPP);
	assert_no_object(make(context, IBV_WC_EX_WITH_TM_INFO, 0), EOPNOTSUPP);
	assert_no_object(make(context, UINT64_C(1) << 40, 0), EOPNOTSUPP);
	assert_no_object(make(context, 0, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN),
			 EOPNOTSUPP);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	assert_no_object(ibv_create_cq_ex(context, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.cqe = 0;
	assert_no_object(ibv_create_cq_ex(context, &attr), EINVAL);
	attr.cqe = 1;
	attr.comp_vector = (uint32_t)context->num_comp_vectors;
	assert_no_object(ibv_create_cq_ex(context, &attr), EINVAL);
	assert_int_equal(ibv_start_poll(x->cq, &poll), EINVAL);
	/* Flags that the mask does not name are not looked at. */
	attr.comp_vector = 0;
	attr.flags = UINT32_MAX;
	cq = ibv_create_cq_ex(context, &attr);
	assert_non_null(cq);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

#define EX_TEST(f) cmocka_unit_test_setup_teardown(f, setup, loop_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EX_TEST(fields_are_read_by_functions),
		EX_TEST(entries_come_one_by_one),
		cmocka_unit_test_setup_teardown(entries_come_one_by_one,
						setup_single, loop_teardown),
		EX_TEST(the_plain_call_polls_it_too),
		EX_TEST(unknown_wishes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
