// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * IBV_SEND_SOLICITED does what it does in company of any other flag.
 */
#include <verbatim/case.h>

enum { INLINE = 16, COMBINATIONS = 8 };

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_qp *a =
		vb_create_qp(vb_a(t), .depth = 8, .inline_max = INLINE);
	struct vb_qp *b =
		vb_create_qp(vb_b(t), .depth = 8, .send_cq = cq, .recv_cq = cq);
	struct vb_pair *p = vb_join(a, b);
	struct vb_wr *send, *recv;

	for (unsigned flags = 0; flags < COMBINATIONS; flags++) {
		vb_arm(cq, true);
		recv = vb_post_recv(b, .len = INLINE);
		send = vb_post_send(a, .len = INLINE, .solicited = true,
				    .unsignaled = flags & 1,
				    .inlined = flags & 2, .fence = flags & 4);
		vb_expect_cq_event(cq);
		vb_ack_cq(cq);
		vb_expect_message(send, recv);
	}
	recv = vb_post_recv(b, .len = INLINE);
	send = vb_post_send(a, .len = INLINE);
	vb_expect_message(send, recv);
	vb_expect_settled(p);
}

VB_CASE(cq_solicited_flags, .id = "cq/solicited-flags",
	.title = "the solicited flag acts beside all other flags",
	.spec = "ibv_post_send(3): IBV_SEND_SOLICITED",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 10000,
	.rules = VB_LIST("MSG-12", "CQ-08"), .defects = VB_LIST("IMM-03"),
	.kills = VB_LIST("M08"), .run = run);
