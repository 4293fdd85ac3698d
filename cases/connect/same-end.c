// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two QPs of one context, on one CQ, are connected to each other and behave as
 * if they were far apart: order, content and completions in both directions.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(128));
	struct vb_qp *one =
		vb_create_qp(vb_a(t), .depth = 8, .send_cq = cq, .recv_cq = cq);
	struct vb_qp *two =
		vb_create_qp(vb_a(t), .depth = 8, .send_cq = cq, .recv_cq = cq);
	struct vb_pair *p = vb_join(one, two);

	vb_stream(p, .messages = 64, .direction = VB_BOTH_WAYS, .imm = true);
	vb_expect_settled(p);
}

VB_CASE(connect_same_end, .id = "connect/same-end",
	.title = "two QPs of one context talk to each other",
	.spec = "InfiniBand: loopback within a port", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("CON-15", "CQ-01", "CMP-10"),
	.defects = VB_LIST("ADDR-01", "PSN-05", "DISC-08"), .run = run);
