// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many CQs on one channel, of two vectors: each event names the CQ that it is
 * about, and all that were raised come, in whatever order.  The channel cannot
 * go before the last of them.
 */
#include <verbatim/case.h>

enum { CQS = 8, BYTES = 16, QUIET_MS = 5 };

/* Its completion vector is one of two, where there are so many. */
static struct vb_object *create_cq(struct vb_test *t, struct vb_object *channel,
				   unsigned vector)
{
	struct vb_object *cq =
		vb_try_create_cq(vb_b(t), .channel = channel, .manual = true,
				 .cqe = VB_SET(8), .vector = VB_SET(vector));

	return cq ? cq
		  : vb_create_cq(vb_b(t), .channel = channel, .manual = true,
				 .cqe = VB_SET(8));
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t)), *cqs[CQS];
	struct vb_pair *pairs[CQS];

	for (unsigned i = 0; i < CQS; i++) {
		struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 2);
		struct vb_qp *b;

		cqs[i] = create_cq(t, channel, i % 2);
		b = vb_create_qp(vb_b(t), .depth = 2, .send_cq = cqs[i],
				 .recv_cq = cqs[i]);
		pairs[i] = vb_join(a, b);
		vb_arm(cqs[i], false);
	}
	/* Every second one, then the others, taken in another order. */
	for (unsigned i = 0; i < 2 * CQS; i += 2) {
		struct vb_pair *p = pairs[i % CQS + i / CQS];
		struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

		vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	}
	for (unsigned i = 0; i < CQS; i++)
		vb_expect_cq_event(cqs[i]);
	for (unsigned i = 0; i < CQS; i++)
		vb_expect_no_cq_event(cqs[i], QUIET_MS);
	vb_destroy_refused(channel);
	for (unsigned i = 0; i < CQS; i++) {
		vb_ack_cq(cqs[i]);
		vb_destroy_refused(cqs[i]);
		vb_destroy_qp(pairs[i]->b);
		vb_destroy(cqs[i]);
	}
	vb_destroy(channel);
}

VB_CASE(cq_many_on_a_channel, .id = "cq/many-on-a-channel",
	.title = "an event names its CQ, of many on one channel",
	.spec = "ibv_get_cq_event(3)", .needs = VB_NEED_RC | VB_NEED_EVENT,
	.limit_ms = 10000,
	.rules = VB_LIST("CQ-11", "CQ-12", "CQ-14", "DST-01", "RES-26"),
	.defects = VB_LIST("EVT-02"), .kills = VB_LIST("R16", "R17"),
	.run = run);
