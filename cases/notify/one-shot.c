// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ that is armed gives one event for what comes after, however much; one
 * that is not gives none; what lies in it already raises none by itself.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 10, COUNT = 4 };

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 2 * COUNT);
	struct vb_qp *b =
		vb_create_qp(vb_b(t), .depth = 2 * COUNT, .recv_cq = cq);
	struct vb_pair *p = vb_join(a, b);

	for (unsigned round = 0; round < 3; round++) {
		if (round)
			vb_arm(cq, false);
		for (unsigned i = 0; i < COUNT; i++) {
			struct vb_wr *recv = vb_post_recv(b, .len = 10);

			vb_expect_message(vb_post_send(a, .len = 10), recv);
		}
		if (round)
			vb_expect_cq_event(cq);
		vb_expect_no_cq_event(cq, QUIET_MS);
		vb_ack_cq(cq);
	}
	vb_expect_settled(p);
}

VB_CASE(notify_one_shot, .id = "notify/one-shot",
	.title = "an armed CQ gives one event",
	.spec = "ibv_req_notify_cq(3), ibv_get_cq_event(3)",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 10000,
	.rules = VB_LIST("CQ-06", "CQ-10", "CQ-11", "CQ-14"), .run = run);
