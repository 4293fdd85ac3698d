// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A new QP is in RESET and goes over INIT and RTR to RTS; after each step the
 * state and what was set read back, and at the end it carries messages.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p;

	vb_expect_state(a, IBV_QPS_RESET);
	vb_expect_state(b, IBV_QPS_RESET);
	p = vb_introduce(a, b);
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_expect_state(a, s);
		vb_expect_attributes(a);
		vb_modify(b, s);
		vb_expect_state(b, s);
		vb_expect_attributes(b);
	}
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_reset_to_rts, .id = "state/reset-to-rts",
	.title = "RESET, INIT, RTR, RTS: each step is taken and reads back",
	.spec = "ibv_modify_qp(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-01", "QPS-02", "QPS-09"),
	.defects = VB_LIST("QPSM-01", "QPSM-05", "QPSM-06"), .run = run);
