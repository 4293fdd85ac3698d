// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * More completions than the CQ has entries are polled without it being armed;
 * the next arming works as the first did.
 */
#include <verbatim/case.h>

enum { ENTRIES = 4, ROUNDS = 5, BYTES = 16 };

static void message(struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq = vb_create_cq(vb_b(t), .cqe = VB_SET(ENTRIES),
					    .channel = channel, .manual = true);
	uint32_t many = 2 * vb_cq_size(cq) + 1;
	struct vb_pair *p = vb_join(vb_create_qp(vb_a(t), .depth = 2),
				    vb_create_qp(vb_b(t), .depth = 2,
						 .send_cq = cq, .recv_cq = cq));

	for (unsigned i = 0; i < ROUNDS; i++) {
		for (uint32_t n = 0; n < many; n++)
			message(p);
		vb_arm(cq, false);
		message(p);
		vb_expect_cq_event(cq);
		vb_ack_cq(cq);
	}
	vb_expect_settled(p);
}

VB_CASE(notify_after_many, .id = "notify/after-many",
	.title = "a CQ is armed again after many polls",
	.spec = "ibv_req_notify_cq(3)", .needs = VB_NEED_RC | VB_NEED_EVENT,
	.limit_ms = 10000, .rules = VB_LIST("CQ-06", "CQ-16"),
	.defects = VB_LIST("EVT-05"), .kills = VB_LIST("D17"), .run = run);
