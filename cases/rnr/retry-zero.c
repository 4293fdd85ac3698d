// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * With rnr_retry 0 the first "not ready" is the end: the message fails at
 * once, although the responder's timer is long, and a receive posted after
 * that stays unused.
 */
#include <verbatim/case.h>

/* 122.88 ms: a requester that waits for it first is seen. */
enum { TIMER = 27, BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4, .attr = { .timeout = VB_SET(18) },
			   .attr_a = { .rnr_retry = VB_SET(0) },
			   .attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);
	struct vb_wr *recv;

	vb_expect_scenario(t, "S03", send, NULL);
	if (vb_took_ns(send) >= vb_rnr_timer_ns(TIMER))
		vb_note(t, "it took %llu us to fail at the first RNR NAK",
			(unsigned long long)vb_took_ns(send) / 1000);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_pending(recv, 5);
	vb_expect_untouched(recv);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
}

VB_CASE(rnr_retry_zero, .id = "rnr/retry-zero",
	.title = "rnr_retry 0 fails at the first RNR NAK",
	.spec = "ibv_modify_qp(3): rnr_retry", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("CON-08", "RNR-02", "RNR-05", "WCS-13"),
	.defects = VB_LIST("RNR-02", "RNR-07"), .run = run);
