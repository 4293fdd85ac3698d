// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Seven is the largest number of retries, and a number: with nobody there a
 * request ends all the same.  (Seven RNR retries, on the other hand, are for
 * ever.)  Without any retry it ends at the first timeout.
 */
#include <verbatim/case.h>

enum { TIMEOUT = 8, BYTES = 100 };

static void run(struct vb_test *t)
{
	static const uint8_t counts[] = { 0, 7 };

	for (unsigned i = 0; i < sizeof(counts); i++) {
		struct vb_pair *p =
			vb_connect(t, .depth = 2,
				   .attr_a = { .timeout = VB_SET(TIMEOUT),
					       .retry = VB_SET(counts[i]) });
		struct vb_wr *send;

		vb_destroy_qp(p->b);
		send = vb_post_send(p->a, .len = BYTES);
		vb_expect_wc(send, IBV_WC_RETRY_EXC_ERR);
		vb_note(t, "%u retries: %llu us", counts[i],
			(unsigned long long)vb_took_ns(send) / 1000);
		vb_expect_state(p->a, IBV_QPS_ERR);
		vb_expect_qp_settled(p->a);
	}
}

VB_CASE(connect_retry_seven, .id = "connect/retry-seven",
	.title = "seven retries come to an end",
	.spec = "ibv_modify_qp(3): retry_cnt", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 15000,
	.rules = VB_LIST("CON-07", "CON-06", "WCS-12"),
	.defects = VB_LIST("RETRY-01"), .run = run);
