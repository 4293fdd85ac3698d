// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The two ends have different RNR timers, and each direction waits for the
 * one of its responder: long from a to b, short from b to a.
 */
#include <verbatim/case.h>

enum { LONG = 21, SHORT = 14, RETRIES = 1, BYTES = 100 };

static void given_up(struct vb_test *t, struct vb_qp *from, uint8_t code)
{
	struct vb_wr *send = vb_post_send(from, .len = BYTES);
	uint64_t least = RETRIES * vb_rnr_timer_ns(code);

	vb_expect_wc(send, IBV_WC_RNR_RETRY_EXC_ERR);
	vb_check(t, VB_FIND_WRONG_TIMING, vb_took_ns(send) >= least,
		 "given up after %llu us, its responder's timer is %llu us",
		 (unsigned long long)vb_took_ns(send) / 1000,
		 (unsigned long long)least / 1000);
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < 2; i++) {
		struct vb_pair *p =
			vb_connect(t, .depth = 4,
				   .attr = { .timeout = VB_SET(18),
					     .rnr_retry = VB_SET(RETRIES) },
				   .attr_a = { .min_rnr_timer = VB_SET(SHORT) },
				   .attr_b = { .min_rnr_timer = VB_SET(LONG) });

		vb_expect_attributes(p->a);
		vb_expect_attributes(p->b);
		if (i)
			given_up(t, p->b, SHORT);
		else
			given_up(t, p->a, LONG);
		vb_expect_settled(p);
	}
}

VB_CASE(rnr_timers_differ, .id = "rnr/timers-differ",
	.title = "each direction waits for the timer of its responder",
	.spec = "InfiniBand: RNR NAK; ibv_modify_qp(3): min_rnr_timer",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 10000, .rules = VB_LIST("CON-09", "RNR-02", "QPS-09"),
	.defects = VB_LIST("RNR-01", "RNR-08"), .run = run);
