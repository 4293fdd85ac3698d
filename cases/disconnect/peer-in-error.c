// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One side goes to ERR.  The other one does not notice while it is idle: it
 * stays in RTS with its receives.  When it sends, the message is not done.
 */
#include <verbatim/case.h>

enum { BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4,
				       .attr_a = { .timeout = VB_SET(10),
						   .retry = VB_SET(1) });
	struct vb_wr *there = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *own = vb_post_recv(p->a, .len = BYTES);
	struct vb_wr *send;

	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_wc(there, IBV_WC_WR_FLUSH_ERR);
	vb_expect_pending(own, 5);
	vb_expect_state(p->a, IBV_QPS_RTS);
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_scenario(t, "S25", send, NULL);
	vb_expect_wc(own, IBV_WC_WR_FLUSH_ERR);
	vb_expect_untouched(there);
	vb_expect_settled(p);
}

VB_CASE(disconnect_peer_in_error, .id = "disconnect/peer-in-error",
	.title = "a peer in ERR is noticed by sending only",
	.spec = "InfiniBand: QP states, Error", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("TDN-03", "WCS-12", "CMP-26"),
	.defects = VB_LIST("FLUSH-11", "RETRY-01"), .run = run);
