// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rnr_retry 7 is not a number of retries: the requester waits for as long as
 * it takes, far beyond seven times the timer, and succeeds when a receive
 * comes.  The retries do not use up retry_cnt, which is 0.
 */
#include <verbatim/case.h>

enum { TIMER = 8, TRIES = 12, WAIT_MS = 30, BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4,
			   .attr_a = { .rnr_retry = VB_SET(7),
				       .retry = VB_SET(0),
				       .timeout = VB_SET(20) },
			   .attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	bool counted;
	uint64_t before;
	struct vb_wr *send, *recv;

	counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	send = vb_post_send(p->a, .len = BYTES);
	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + TRIES);
	else
		vb_expect_pending(send, WAIT_MS);
	vb_expect_pending(send, 1);
	vb_expect_state(p->a, IBV_QPS_RTS);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_scenario(t, "S04", send, recv);
	vb_expect_message(send, recv);
	vb_expect_settled(p);
}

VB_CASE(rnr_retry_seven, .id = "rnr/retry-seven",
	.title = "rnr_retry 7 waits for ever",
	.spec = "ibv_modify_qp(3): rnr_retry", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("CON-08", "RNR-01", "RNR-04", "RNR-09"),
	.defects = VB_LIST("RNR-02", "RNR-11"), .kills = VB_LIST("M25"),
	.run = run);
