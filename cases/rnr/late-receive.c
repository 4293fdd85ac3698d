// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A message that finds no receive waits, and arrives once there is one.  That
 * it was told "not ready" and tried again is shown by the device's counter;
 * where there is none, by the time: the timer of the responder has to pass
 * before the second try.
 */
#include <verbatim/case.h>

enum { TIMER = 16, BYTES = 3000, LATE_MS = 20 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 4,
		.attr = { .timeout = VB_SET(18), .rnr_retry = VB_SET(7) },
		.attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	bool counted;
	uint64_t before;
	struct vb_wr *send, *recv;

	counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	send = vb_post_send(p->a, .len = BYTES);
	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + 1);
	else
		vb_expect_pending(send, LATE_MS);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(send, recv);
	vb_check(t, VB_FIND_WRONG_TIMING,
		 vb_took_ns(send) >= vb_rnr_timer_ns(TIMER),
		 "tried again after %llu us, the timer is %llu us",
		 (unsigned long long)vb_took_ns(send) / 1000,
		 (unsigned long long)vb_rnr_timer_ns(TIMER) / 1000);
	vb_expect_state(p->a, IBV_QPS_RTS);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_stream(p, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(rnr_late_receive, .id = "rnr/late-receive",
	.title = "a receive that comes late heals, after a counted retry",
	.spec = "InfiniBand: RNR NAK; ibv_modify_qp(3): min_rnr_timer",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 10000,
	.rules = VB_LIST("RNR-01", "RNR-09", "CON-09", "MSG-16"),
	.defects = VB_LIST("RNR-01", "RNR-11", "DATA-11", "WRID-05"),
	.run = run);
