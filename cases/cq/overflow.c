// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ that is overfilled is dead, and says so by CQ_ERR.  What else becomes of
 * it is the device's affair; but its queue pair and it can be destroyed, and
 * another pair beside it has not noticed.
 */
#include <verbatim/case.h>

enum { DEPTH = 64, ENTRIES = 4 };

static void run(struct vb_test *t)
{
	struct vb_pair *witness = vb_connect(t, .depth = 8);
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(ENTRIES));
	uint32_t size = vb_cq_size(cq);
	struct vb_qp *a, *b;

	if (size >= DEPTH)
		vb_skip(t, "a CQ of %d was asked for, it has %u", ENTRIES,
			size);
	a = vb_create_qp(vb_a(t), .depth = DEPTH, .send_cq = cq, .recv_cq = cq);
	b = vb_create_qp(vb_b(t), .depth = DEPTH);
	vb_join(a, b);
	vb_allow_event(a, IBV_EVENT_QP_FATAL);
	vb_hold_cq(cq);
	for (uint32_t i = 0; i < DEPTH; i++)
		vb_post_recv(b, .len = 16);
	for (uint32_t i = 0; i <= size + 4 && i < DEPTH; i++)
		vb_post_send(a, .len = 8);
	vb_expect_cq_error(cq);
	vb_destroy_qp(a);
	vb_destroy_qp(b);
	vb_destroy(cq);
	vb_stream(witness, .messages = 16, .inflight = 8,
		  .direction = VB_BOTH_WAYS);
	vb_expect_settled(witness);
	vb_stream(vb_connect(t, .depth = 4), .messages = 4, .inflight = 4,
		  .direction = VB_BOTH_WAYS);
}

VB_CASE(cq_overflow, .id = "cq/overflow",
	.title = "an overfilled CQ says so and harms no other",
	.spec = "ibv_get_async_event(3): CQ_ERR", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CQ-02", "CQ-03", "AEV-06", "AEV-11"),
	.defects = VB_LIST("CQ-01", "CQ-09"), .run = run);
