// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ that is resized with completions in it keeps them, in their order;
 * fewer entries than those are not to be had, or not given.
 */
#include <verbatim/case.h>

enum { SIZE = 32, HELD = 24 };

static void run(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(SIZE));
	struct vb_qp *a = vb_create_qp(vb_a(t), .send_cq = cq, .depth = HELD);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = HELD);
	struct vb_pair *p = vb_join(a, b);
	struct vb_wr *send[HELD], *recv[HELD];

	for (unsigned round = 0; round < 3; round++) {
		vb_hold_cq(cq);
		for (unsigned i = 0; i < HELD; i++) {
			recv[i] = vb_post_recv(b, .len = 10);
			send[i] = vb_post_send(a, .len = 10);
		}
		for (unsigned i = 0; i < HELD; i++)
			vb_expect_received(recv[i], 10);
		if (!vb_try_resize_cq(cq, SIZE * (2 + round)) && !round)
			vb_skip(t, "the device does not resize CQs");
		vb_try_resize_cq(cq, HELD / 2);
		vb_release_cq(cq);
		for (unsigned i = 0; i < HELD; i++)
			vb_expect_message(send[i], recv[i]);
	}
	vb_expect_settled(p);
}

VB_CASE(notify_resize, .id = "notify/resize",
	.title = "a resized CQ keeps its completions",
	.spec = "ibv_resize_cq(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CQ-04", "CQ-05"), .run = run);
