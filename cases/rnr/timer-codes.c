// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each code of min_rnr_timer means a time of its own, and the requester tries
 * again no earlier: with one retry, the message is given up no earlier than
 * that either.  The responder's code counts; the requester's own is the
 * shortest there is.
 */
#include <verbatim/case.h>

enum { SHORTEST = 1, BYTES = 100 };

static void run(struct vb_test *t)
{
	static const uint8_t codes[] = { 1,  5,	 10, 13, 15, 16,
					 17, 18, 19, 20, 21, 22 };

	for (unsigned i = 0; i < sizeof(codes); i++) {
		uint64_t least = vb_rnr_timer_ns(codes[i]);
		struct vb_pair *p = vb_connect(
			t, .depth = 2, .attr = { .timeout = VB_SET(18) },
			.attr_a = { .rnr_retry = VB_SET(1),
				    .min_rnr_timer = VB_SET(SHORTEST) },
			.attr_b = { .min_rnr_timer = VB_SET(codes[i]) });
		struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

		vb_expect_wc(send, IBV_WC_RNR_RETRY_EXC_ERR);
		vb_check(
			t, VB_FIND_WRONG_TIMING, vb_took_ns(send) >= least,
			"code %u: tried again within %llu us, it means %llu us",
			codes[i], (unsigned long long)vb_took_ns(send) / 1000,
			(unsigned long long)least / 1000);
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
	}
}

VB_CASE(rnr_timer_codes, .id = "rnr/timer-codes",
	.title = "no code of min_rnr_timer is waited for too short a time",
	.spec = "InfiniBand: RNR timer encoding; ibv_modify_qp(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 20000, .rules = VB_LIST("CON-09", "RNR-02", "WCS-13"),
	.defects = VB_LIST("RNR-01", "RNR-05", "RNR-08"),
	.kills = VB_LIST("M26"), .run = run);
