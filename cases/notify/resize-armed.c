// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ that is resized while it is armed stays armed: the next completion
 * raises its event, once.
 */
#include <verbatim/case.h>

enum { SIZE = 16, DEPTH = 4, BYTES = 20, QUIET_MS = 5 };

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq = vb_create_cq(vb_b(t), .channel = channel,
					    .manual = true,
					    .cqe = VB_SET(SIZE));
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = DEPTH, .recv_cq = cq);
	struct vb_pair *p = vb_join(a, b);

	for (unsigned round = 0; round < 3; round++) {
		struct vb_wr *recv = vb_post_recv(b, .len = BYTES);

		vb_arm(cq, false);
		if (!vb_try_resize_cq(cq, SIZE * (2 + round)) && !round)
			vb_skip(t, "the device does not resize CQs");
		vb_expect_message(vb_post_send(a, .len = BYTES), recv);
		vb_expect_cq_event(cq);
		recv = vb_post_recv(b, .len = BYTES);
		vb_expect_message(vb_post_send(a, .len = BYTES), recv);
		vb_expect_no_cq_event(cq, QUIET_MS);
	}
	vb_ack_cq(cq);
	vb_expect_settled(p);
}

VB_CASE(notify_resize_armed, .id = "notify/resize-armed",
	.title = "a CQ that is resized stays armed",
	.spec = "ibv_resize_cq(3), ibv_req_notify_cq(3)",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 10000,
	.rules = VB_LIST("CQ-04", "CQ-06"), .defects = VB_LIST("CQ-04"),
	.run = run);
