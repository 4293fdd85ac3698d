// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * min_rnr_timer can be changed in RTS, and the change is not only read back
 * but kept: the next requester that is told "not ready" waits for the new
 * time.
 */
#include <verbatim/case.h>

enum { FAST = 1, SLOW = 20, BYTES = 100, LATE_MS = 20 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4,
			   .attr = { .timeout = VB_SET(18),
				     .min_rnr_timer = VB_SET(FAST) },
			   .attr_a = { .rnr_retry = VB_SET(1) });
	uint64_t least = vb_rnr_timer_ns(SLOW);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_expect_message(send, recv);
	vb_modify(p->b, IBV_QPS_RTS, .min_rnr_timer = VB_SET(SLOW));
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(send, IBV_WC_RNR_RETRY_EXC_ERR);
	if (vb_took_ns(send) < least)
		vb_fail(t, VB_FIND_WRONG_TIMING,
			"tried again within %llu us, the timer is now %llu us",
			(unsigned long long)vb_took_ns(send) / 1000,
			(unsigned long long)least / 1000);
	vb_expect_attributes(p->b);
	vb_expect_settled(p);
}

VB_CASE(rnr_timer_changed, .id = "rnr/timer-changed",
	.title = "min_rnr_timer changed in RTS is the time that is waited",
	.spec = "ibv_modify_qp(3): RTS to RTS", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("QPS-27", "CON-09", "RNR-02"),
	.defects = VB_LIST("QPSM-21", "RNR-08"), .kills = VB_LIST("M32"),
	.run = run);
