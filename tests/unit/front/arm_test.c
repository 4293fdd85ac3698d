// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Arming a CQ in which completions wait that nobody has been told of. */
#include "loop_fixture.h"

#include <poll.h>

struct armed {
	struct loop l;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq; /* of b's receives */
};

static int setup(void **state)
{
	static struct armed s;
	struct ibv_qp_init_attr init = { .cap = loop_cap(),
					 .qp_type = IBV_QPT_RC };

	if (loop_open(&s.l))
		return -1;
	s.channel = ibv_create_comp_channel(s.l.context);
	s.cq = ibv_create_cq(s.l.context, 8, NULL, s.channel, 0);
	init.send_cq = s.l.cq;
	init.recv_cq = s.cq;
	s.l.a = loop_qp(&s.l, IBV_QPT_RC, NULL);
	s.l.b = ibv_create_qp(s.l.pd, &init);
	if (!s.channel || !s.cq || !s.l.a || !s.l.b)
		return -1;
	loop_connect(&s.l, s.l.a, s.l.b);
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	struct armed *s = *state;

	return ibv_destroy_qp(s->l.a) || ibv_destroy_qp(s->l.b) ||
	       ibv_destroy_cq(s->cq) || ibv_destroy_comp_channel(s->channel) ||
	       loop_close(&s->l);
}

/* An event comes, within @wait_ms: fetched and acknowledged. */
static bool event_comes(struct armed *s, int wait_ms)
{
	struct pollfd p = { .fd = s->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *cq_context;

	if (poll(&p, 1, wait_ms) != 1)
		return false;
	assert_int_equal(ibv_get_cq_event(s->channel, &cq, &cq_context), 0);
	assert_ptr_equal(cq, s->cq);
	ibv_ack_cq_events(cq, 1);
	return true;
}

/* One message: afterwards its receive has completed. */
static void receive(struct armed *s, unsigned int flags)
{
	struct ibv_send_wr wr = { .wr_id = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = flags };

	loop_post_recv(&s->l, s->l.b, 2, 64, 8);
	assert_int_equal(loop_post(&s->l, s->l.a, &wr, 0, 8), 0);
	loop_expect(&s->l, 1, IBV_WC_SUCCESS);
}

static void arm(struct armed *s, int solicited_only)
{
	assert_int_equal(ibv_req_notify_cq(s->cq, solicited_only), 0);
}

static void poll_all(struct armed *s, int count)
{
	struct ibv_wc wc[8];

	assert_int_equal(ibv_poll_cq(s->cq, 8, wc), count);
}

static void what_came_before_is_told_at_once(void **state)
{
	struct armed *s = *state;

	receive(s, 0);
	assert_false(event_comes(s, 0));
	arm(s, 0);
	assert_true(event_comes(s, 0));
	assert_false(event_comes(s, 0));
	receive(s, 0);
	poll_all(s, 2);
	arm(s, 0);
	assert_false(event_comes(s, 0));
}

static void no_entry_is_told_of_twice(void **state)
{
	struct armed *s = *state;

	arm(s, 0);
	receive(s, 0);
	assert_true(event_comes(s, LOOP_PATIENCE_S * 1000));
	arm(s, 0);
	assert_false(event_comes(s, 0));
	receive(s, 0);
	assert_true(event_comes(s, LOOP_PATIENCE_S * 1000));
	receive(s, 0);
	arm(s, 0);
	assert_true(event_comes(s, 0));
	poll_all(s, 3);
}

static void who_waits_for_solicited_ones_is_told_of_those(void **state)
{
	struct armed *s = *state;

	receive(s, 0);
	arm(s, 1);
	assert_false(event_comes(s, 0));
	arm(s, 0);
	assert_true(event_comes(s, 0));
	receive(s, IBV_SEND_SOLICITED);
	receive(s, 0);
	arm(s, 1);
	assert_true(event_comes(s, 0));
	arm(s, 1);
	assert_false(event_comes(s, 0));
	poll_all(s, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_came_before_is_told_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(no_entry_is_told_of_twice,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_waits_for_solicited_ones_is_told_of_those, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
