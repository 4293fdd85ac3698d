// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Code 0 of min_rnr_timer is the longest delay, 655.36 ms, and not none: a
 * message that was told "not ready" does not use a receive that is posted
 * right after.
 */
#include <verbatim/case.h>

enum { LATE_MS = 20, BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 2,
		.attr = { .timeout = VB_SET(20), .rnr_retry = VB_SET(7) },
		.attr_b = { .min_rnr_timer = VB_SET(0) });
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
	vb_check(t, VB_FIND_EARLY, vb_took_ns(send) >= vb_rnr_timer_ns(0),
		 "the message was sent again within %llu us, it must take "
		 "%llu us at least",
		 (unsigned long long)vb_took_ns(send) / 1000,
		 (unsigned long long)vb_rnr_timer_ns(0) / 1000);
	vb_expect_settled(p);
}

VB_CASE(rnr_timer_code_zero, .id = "rnr/timer-code-zero",
	.title = "min_rnr_timer 0 is the longest delay, not the shortest",
	.spec = "InfiniBand: RNR timer encoding; ibv_modify_qp(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 10000, .rules = VB_LIST("CON-09", "RNR-01", "QPS-15"),
	.defects = VB_LIST("RNR-05", "RNR-01"), .kills = VB_LIST("M26"),
	.run = run);
