// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shared receive queues. */
#include "loop_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "device/front/limits.h"

enum { SRQ_WR = 4 };

static struct ibv_srq *srq_make(const struct loop *l, uint32_t max_wr)
{
	struct ibv_srq_init_attr init = {
		.srq_context = (void *)l,
		.attr = { .max_wr = max_wr, .max_sge = 2 },
	};

	return ibv_create_srq(l->pd, &init);
}

/* Two pairs: a and b as ever, c and d as well; b and d share. */
struct shared {
	struct loop l;
	struct ibv_srq *srq;
	struct ibv_qp *c, *d;
};

static int setup(void **state)
{
	static struct shared s;

	if (loop_open(&s.l))
		return -1;
	s.srq = srq_make(&s.l, SRQ_WR);
	if (!s.srq)
		return -1;
	s.l.a = loop_qp(&s.l, IBV_QPT_RC, NULL);
	s.l.b = loop_qp(&s.l, IBV_QPT_RC, s.srq);
	s.c = loop_qp(&s.l, IBV_QPT_RC, NULL);
	s.d = loop_qp(&s.l, IBV_QPT_RC, s.srq);
	if (!s.l.a || !s.l.b || !s.c || !s.d)
		return -1;
	loop_connect(&s.l, s.l.a, s.l.b);
	loop_connect(&s.l, s.c, s.d);
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	struct shared *s = *state;

	return ibv_destroy_qp(s->l.a) || ibv_destroy_qp(s->l.b) ||
	       ibv_destroy_qp(s->c) || ibv_destroy_qp(s->d) ||
	       ibv_destroy_srq(s->srq) || loop_close(&s->l);
}

static int post(const struct shared *s, struct ibv_srq *srq, uint64_t wr_id,
		int num_sge)
{
	struct ibv_sge sge[3] = { loop_sge(&s->l, 4096, 64),
				  loop_sge(&s->l, 4160, 64) };
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = sge,
				  .num_sge = num_sge };
	struct ibv_recv_wr *bad = NULL;
	int err = ibv_post_srq_recv(srq, &wr, &bad);

	if (err)
		assert_ptr_equal(bad, &wr);
	return err;
}

static void send(const struct shared *s, struct ibv_qp *from, struct ibv_qp *to,
		 uint64_t recv_id)
{
	struct ibv_send_wr wr = { .wr_id = 100, .opcode = IBV_WR_SEND };
	struct ibv_wc recv;

	assert_int_equal(loop_post(&s->l, from, &wr, 0, 100), 0);
	loop_expect_both(&s->l, 100, recv_id, &recv);
	assert_int_equal(recv.qp_num, to->qp_num);
	assert_memory_equal(s->l.bytes, s->l.bytes + 4096, 100);
}

static void receives_serve_whoever_needs_one(void **state)
{
	struct shared *s = *state;

	for (uint64_t i = 0; i < SRQ_WR; i++)
		assert_int_equal(post(s, s->srq, i, 2), 0);
	assert_int_equal(post(s, s->srq, 9, 2), ENOMEM);
	send(s, s->l.a, s->l.b, 0);
	send(s, s->c, s->d, 1);
	send(s, s->c, s->d, 2);
	send(s, s->l.a, s->l.b, 3);
	assert_int_equal(post(s, s->srq, 4, 3), EINVAL);
	assert_int_equal(post(s, s->srq, 4, -1), EINVAL);
}

static void a_sender_waits_for_a_receive(void **state)
{
	struct shared *s = *state;
	struct ibv_send_wr wr = { .wr_id = 100, .opcode = IBV_WR_SEND };
	struct ibv_wc recv;

	assert_int_equal(loop_post(&s->l, s->l.a, &wr, 0, 64), 0);
	assert_int_equal(ibv_poll_cq(s->l.cq, 1, &recv), 0);
	assert_int_equal(post(s, s->srq, 7, 2), 0);
	loop_expect_both(&s->l, 100, 7, &recv);
}

static void its_queue_pairs_have_no_receive_queue(void **state)
{
	struct shared *s = *state;
	struct ibv_recv_wr wr = { .wr_id = 1 }, *bad = NULL;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_post_recv(s->l.b, &wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(ibv_query_qp(s->l.b, &attr, 0, &init), 0);
	assert_ptr_equal(init.srq, s->srq);
	assert_int_equal(init.cap.max_recv_wr, 0);
	/* Nothing is asked of it either. */
	init = (struct ibv_qp_init_attr){
		.send_cq = s->l.cq,
		.recv_cq = s->l.cq,
		.srq = s->srq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = UINT32_MAX,
			 .max_recv_sge = UINT32_MAX },
	};
	assert_int_equal(ibv_destroy_qp(ibv_create_qp(s->l.pd, &init)), 0);
	init.qp_type = IBV_QPT_UC;
	assert_no_object(ibv_create_qp(s->l.pd, &init), EINVAL);
}

static void set_limit(struct ibv_srq *srq, uint32_t limit, int expected)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };

	assert_int_equal(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), expected);
}

static uint32_t get_limit(struct ibv_srq *srq)
{
	struct ibv_srq_attr attr;

	assert_int_equal(ibv_query_srq(srq, &attr), 0);
	return attr.srq_limit;
}

/* None waits: nobody blocks for it. */
static bool take_event(const struct shared *s, struct ibv_async_event *event)
{
	int flags = fcntl(s->l.context->async_fd, F_GETFL);
	int err;

	do {
		fcntl(s->l.context->async_fd, F_SETFL, flags | O_NONBLOCK);
		err = ibv_get_async_event(s->l.context, event);
		if (!err && event->event_type == IBV_EVENT_COMM_EST)
			ibv_ack_async_event(event);
	} while (!err && event->event_type == IBV_EVENT_COMM_EST);
	fcntl(s->l.context->async_fd, F_SETFL, flags);
	return !err;
}

static void expect_limit_event(const struct shared *s)
{
	struct ibv_async_event event;

	assert_true(take_event(s, &event));
	assert_int_equal(event.event_type, IBV_EVENT_SRQ_LIMIT_REACHED);
	assert_ptr_equal(event.element.srq, s->srq);
	assert_ptr_equal(event.element.srq->srq_context, &s->l);
	ibv_ack_async_event(&event);
}

static void the_limit_tells_once_when_it_is_passed(void **state)
{
	struct shared *s = *state;
	struct ibv_async_event event;

	for (uint64_t i = 0; i < SRQ_WR; i++)
		assert_int_equal(post(s, s->srq, i, 2), 0);
	set_limit(s->srq, 3, 0);
	assert_int_equal(get_limit(s->srq), 3);
	/* At the limit is not below it. */
	send(s, s->l.a, s->l.b, 0);
	assert_false(take_event(s, &event));
	send(s, s->l.a, s->l.b, 1);
	expect_limit_event(s);
	assert_int_equal(get_limit(s->srq), 0);
	send(s, s->l.a, s->l.b, 2);
	assert_false(take_event(s, &event));
	/* Below it from the start: told at once. */
	set_limit(s->srq, 2, 0);
	expect_limit_event(s);
}

static void attributes_are_judged(void **state)
{
	struct shared *s = *state;
	struct ibv_srq_attr attr = { .max_wr = 2 * SRQ_WR };

	set_limit(s->srq, SRQ_WR + 1, EINVAL);
	assert_int_equal(get_limit(s->srq), 0);
	assert_refused(ibv_modify_srq(s->srq, &attr, IBV_SRQ_MAX_WR),
		       EOPNOTSUPP);
	assert_refused(ibv_modify_srq(s->srq, &attr, 1 << 5), EINVAL);
	assert_int_equal(ibv_query_srq(s->srq, &attr), 0);
	assert_int_equal(attr.max_wr, SRQ_WR);
	assert_int_equal(attr.max_sge, 2);
	assert_no_object(srq_make(&s->l, 0), EINVAL);
	assert_no_object(srq_make(&s->l, LIMIT_max_srq_wr + 1), EINVAL);
}

static void the_largest_can_be_filled(void **state)
{
	struct shared *s = *state;
	struct ibv_srq *srq = srq_make(&s->l, LIMIT_max_srq_wr);

	assert_non_null(srq);
	for (int i = 0; i < LIMIT_max_srq_wr; i++)
		assert_int_equal(post(s, srq, 0, 2), 0);
	assert_int_equal(post(s, srq, 0, 2), ENOMEM);
	assert_int_equal(ibv_destroy_srq(srq), 0);
}

static void the_limit_of_srqs_is_exact(void **state)
{
	struct shared *s = *state;
	/* One is the fixture's. */
	static struct ibv_srq *all[LIMIT_max_srq - 1];

	for (int i = 0; i < LIMIT_max_srq - 1; i++) {
		all[i] = srq_make(&s->l, 1);
		assert_non_null(all[i]);
	}
	assert_no_object(srq_make(&s->l, 1), ENOMEM);
	for (int i = 0; i < LIMIT_max_srq - 1; i++)
		assert_int_equal(ibv_destroy_srq(all[i]), 0);
}

static void one_in_use_is_kept(void **state)
{
	struct shared *s = *state;
	struct ibv_srq fake = *s->srq;

	assert_refused(ibv_destroy_srq(s->srq), EBUSY);
	assert_refused(ibv_destroy_srq(&fake), EINVAL);
	assert_refused(ibv_dealloc_pd(s->l.pd), EBUSY);
	/* What serves others still does when one of them is gone. */
	assert_int_equal(post(s, s->srq, 3, 2), 0);
	assert_int_equal(ibv_destroy_qp(s->l.b), 0);
	send(s, s->c, s->d, 3);
	s->l.b = loop_qp(&s->l, IBV_QPT_RC, s->srq);
	assert_non_null(s->l.b);
}

/* Shared receives are not flushed; that the last is gone is an event. */
static void err_leaves_the_receives_to_others(void **state)
{
	struct shared *s = *state;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_async_event event;
	struct ibv_wc wc;

	assert_int_equal(post(s, s->srq, 3, 2), 0);
	assert_int_equal(ibv_modify_qp(s->l.b, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_poll_cq(s->l.cq, 1, &wc), 0);
	assert_true(take_event(s, &event));
	assert_int_equal(event.event_type, IBV_EVENT_QP_LAST_WQE_REACHED);
	assert_ptr_equal(event.element.qp, s->l.b);
	ibv_ack_async_event(&event);
	send(s, s->c, s->d, 3);
}

static void *destroy_main(void *arg)
{
	struct ibv_srq *srq = arg;

	return (void *)(intptr_t)ibv_destroy_srq(srq);
}

/* It may come too late to see it wait, never too early. */
static void destroying_waits_for_the_ack(void **state)
{
	struct shared *s = *state;
	struct ibv_srq *srq = srq_make(&s->l, 1);
	struct ibv_async_event event;
	pthread_t thread;
	void *result;

	set_limit(srq, 1, 0);
	assert_true(take_event(s, &event));
	assert_ptr_equal(event.element.srq, srq);
	assert_int_equal(pthread_create(&thread, NULL, destroy_main, srq), 0);
	assert_int_equal(pthread_tryjoin_np(thread, &result), EBUSY);
	ibv_ack_async_event(&event);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
}

static void the_extended_call_makes_basic_ones(void **state)
{
	struct shared *s = *state;
	struct ibv_srq_init_attr_ex ex = {
		.attr = { .max_wr = 1, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = s->l.pd,
	};
	struct ibv_srq *srq = ibv_create_srq_ex(s->l.context, &ex);
	uint32_t number = 0;

	assert_non_null(srq);
	assert_int_equal(ibv_get_srq_num(srq, &number), 0);
	assert_int_not_equal(number, 0);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	ex.srq_type = IBV_SRQT_XRC;
	assert_no_object(ibv_create_srq_ex(s->l.context, &ex), EOPNOTSUPP);
	ex.srq_type = IBV_SRQT_BASIC;
	ex.comp_mask = IBV_SRQ_INIT_ATTR_TYPE;
	assert_no_object(ibv_create_srq_ex(s->l.context, &ex), EINVAL);
}

#define SRQ_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SRQ_TEST(receives_serve_whoever_needs_one),
		SRQ_TEST(a_sender_waits_for_a_receive),
		SRQ_TEST(its_queue_pairs_have_no_receive_queue),
		SRQ_TEST(the_limit_tells_once_when_it_is_passed),
		SRQ_TEST(attributes_are_judged),
		SRQ_TEST(the_largest_can_be_filled),
		SRQ_TEST(the_limit_of_srqs_is_exact),
		SRQ_TEST(one_in_use_is_kept),
		SRQ_TEST(err_leaves_the_receives_to_others),
		SRQ_TEST(destroying_waits_for_the_ack),
		SRQ_TEST(the_extended_call_makes_basic_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
