// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A host that does not run looks at its timers too late: what the peer has
 * answered meanwhile is no silence, and costs no retry (device/engine/retry.h).
 */
#include "tests/unit/engine/wire_pair.h"

static const uint64_t late_stop_ns = 1500ull * 1000 * 1000;

/* One request is out, and nobody has run since. */
static struct wire_pair *late_pair(struct ibv_qp_attr attr)
{
	struct wire_pair *p = pair_new(attr);

	pair_recv(&p->end[1], 9, 0, 100);
	pair_send(&p->end[0], 10, 0, 100);
	requester_run(&p->end[0].qp, 8, p->now_ns);
	assert_int_equal(p->sent, 1);
	assert_true(p->end[0].deadline_ns > 0);
	return p;
}

/* The timer is looked at so much later than it was due. */
static void late_look(struct wire_pair *p, uint64_t late_ns)
{
	assert_true(p->end[0].deadline_ns > 0);
	p->now_ns = p->end[0].deadline_ns + late_ns;
	qp_timer(&p->end[0].qp, p->now_ns);
	requester_run(&p->end[0].qp, 8, p->now_ns);
}

static void late_stop_costs_nothing(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p;

	(void)state;
	attr.timeout = 1;
	attr.retry_cnt = 0;
	p = late_pair(attr);
	late_look(p, late_stop_ns);
	assert_int_equal(p->sent, 1);
	assert_true(p->end[0].deadline_ns > p->now_ns);
	pair_run(p);
	pair_expect(&p->end[0], 0, 10, IBV_WC_SUCCESS);
	pair_expect(&p->end[1], 0, 9, IBV_WC_SUCCESS);
	assert_int_equal(p->end[0].host.counters.completer_retry_err, 0);
	pair_free(p);
}

static void late_in_time_is_silence(void **state)
{
	struct wire_pair *p = late_pair(pair_attr());

	(void)state;
	late_look(p, 0);
	assert_int_equal(p->sent, 2);
	assert_int_equal(p->end[0].host.counters.completer_retry_err, 1);
	pair_free(p);
}

/* Nobody is waited for without end, however late each look is. */
static void late_once_for_each_retry(void **state)
{
	struct ibv_qp_attr attr = pair_attr();
	struct wire_pair *p = late_pair(attr);
	unsigned looks = 0;

	(void)state;
	while (p->end[0].qp.state == IBV_QPS_RTS) {
		late_look(p, late_stop_ns);
		looks++;
		assert_int_equal(p->sent,
				 1 + looks / 2 -
					 (p->end[0].qp.state == IBV_QPS_ERR));
	}
	assert_int_equal(looks, 2 * (attr.retry_cnt + 1));
	pair_expect(&p->end[0], 0, 10, IBV_WC_RETRY_EXC_ERR);
	pair_free(p);
}

static void late_again_after_progress(void **state)
{
	struct wire_pair *p = late_pair(pair_attr());

	(void)state;
	for (unsigned i = 1; i < 4; i++) {
		late_look(p, late_stop_ns);
		pair_settle(p);
		pair_expect(&p->end[0], i - 1, 9 + i, IBV_WC_SUCCESS);
		pair_recv(&p->end[1], 9, 0, 100);
		pair_send(&p->end[0], 10 + i, 0, 100);
		requester_run(&p->end[0].qp, 8, p->now_ns);
	}
	assert_int_equal(p->end[0].host.counters.completer_retry_err, 0);
	pair_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_stop_costs_nothing),
		cmocka_unit_test(late_in_time_is_silence),
		cmocka_unit_test(late_once_for_each_retry),
		cmocka_unit_test(late_again_after_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
