// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ raises no event unless it is armed, and then one: for the next entry,
 * not for each.  Entries that lie there when it is armed need not raise any,
 * so that after arming it is polled once more.
 */
#include <verbatim/case.h>

enum { BYTES = 32, MORE = 6, QUIET_MS = 10 };

static void message(struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = MORE);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = MORE, .send_cq = cq,
				       .recv_cq = cq);
	struct vb_pair *p = vb_join(a, b);

	/* Never armed so far. */
	message(p);
	vb_expect_no_cq_event(cq, QUIET_MS);
	vb_arm(cq, false);
	vb_expect_no_cq_event(cq, QUIET_MS);
	for (unsigned i = 0; i < MORE; i++)
		message(p);
	vb_expect_cq_event(cq);
	vb_expect_no_cq_event(cq, QUIET_MS);
	/* Armed twice is armed once. */
	vb_arm(cq, false);
	vb_arm(cq, false);
	message(p);
	message(p);
	vb_expect_cq_event(cq);
	vb_expect_no_cq_event(cq, QUIET_MS);
	vb_ack_cq(cq);
	vb_expect_settled(p);
}

VB_CASE(cq_one_shot, .id = "cq/one-shot",
	.title = "an armed CQ raises one event, an unarmed one none",
	.spec = "ibv_req_notify_cq(3)", .needs = VB_NEED_RC | VB_NEED_EVENT,
	.limit_ms = 10000, .rules = VB_LIST("CQ-06", "CQ-07"),
	.defects = VB_LIST("EVT-01", "EVT-03", "EVT-06"),
	.kills = VB_LIST("R05"), .run = run);
