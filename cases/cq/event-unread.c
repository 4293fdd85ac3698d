// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Events that nobody has fetched yet stand in no other's way: a CQ that is
 * armed again raises another one behind its first, and a neighbour on the
 * channel that is destroyed takes its own along, and not theirs.
 */
#include <verbatim/case.h>

enum { CQS = 3, BYTES = 24, QUIET_MS = 5 };

static void message(struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t)), *cqs[CQS];
	struct vb_pair *pairs[CQS];

	for (unsigned i = 0; i < CQS; i++) {
		struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 2), *b;

		cqs[i] = vb_create_cq(vb_b(t), .channel = channel,
				      .manual = true, .cqe = VB_SET(8));
		b = vb_create_qp(vb_b(t), .depth = 2, .send_cq = cqs[i],
				 .recv_cq = cqs[i]);
		pairs[i] = vb_join(a, b);
	}
	/* Each has an event of its own waiting; then some a second one. */
	for (unsigned i = 0; i < CQS; i++) {
		vb_arm(cqs[i], false);
		message(pairs[i]);
	}
	for (unsigned i = 1; i < CQS; i++) {
		vb_arm(cqs[i], false);
		message(pairs[i]);
	}
	vb_destroy_qp(pairs[0]->b);
	vb_destroy(cqs[0]);
	for (unsigned i = 1; i < CQS; i++) {
		vb_expect_cq_event(cqs[i]);
		vb_expect_cq_event(cqs[i]);
		vb_expect_no_cq_event(cqs[i], QUIET_MS);
	}
	vb_ack_cq(cqs[1]);
	vb_ack_cq(cqs[2]);
	for (unsigned i = 1; i < CQS; i++)
		vb_expect_settled(pairs[i]);
}

VB_CASE(cq_event_unread, .id = "cq/event-unread",
	.title = "an event that is not fetched yet costs no other",
	.spec = "ibv_req_notify_cq(3), ibv_destroy_cq(3)",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("CQ-06", "CQ-10", "CQ-11"),
	.defects = VB_LIST("EVT-02", "EVT-12", "CQ-16"),
	.kills = VB_LIST("D86", "D87", "R17"), .run = run);
