// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One side is in RTS and sends at once, while the other is still on its way
 * from RTR to RTS; the message arrives, and the answer goes back.
 */
#include <verbatim/case.h>

enum { BYTES = 1000 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .state = IBV_QPS_RTR);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *back = vb_post_recv(p->a, .len = BYTES);
	struct vb_wr *send, *answer;

	vb_modify(p->a, IBV_QPS_RTS);
	send = vb_post_send(p->a, .len = BYTES);
	vb_modify(p->b, IBV_QPS_RTS);
	answer = vb_post_send(p->b, .len = BYTES);
	vb_expect_message(send, recv);
	vb_expect_message(answer, back);
	vb_expect_settled(p);
}

VB_CASE(first_send_before_peer_rts, .id = "first/send-before-peer-rts",
	.title = "a message sent while the peer goes to RTS arrives",
	.spec = "InfiniBand: QP states, Ready To Receive", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("QPS-12", "MSG-01"),
	.defects = VB_LIST("WRID-04"), .run = run);
