// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From RESET, INIT, RTR, RTS and ERR every transition that is not in the table
 * is refused, with all the attributes that the target usually needs; state and
 * attributes stay as they were, and the QP works when it goes the legal way.
 *
 * RESET to ERR is not asked: the architecture allows it, Linux refuses it.
 */
#include <verbatim/case.h>

#define BIT(state) (1u << IBV_QPS_##state)

/* Targets that are illegal, by the state that the QP is in. */
static const unsigned illegal[] = {
	[IBV_QPS_RESET] = BIT(RTR) | BIT(RTS) | BIT(SQD) | BIT(SQE),
	[IBV_QPS_INIT] = BIT(RTS) | BIT(SQD) | BIT(SQE),
	[IBV_QPS_RTR] = BIT(INIT) | BIT(RTR) | BIT(SQD) | BIT(SQE),
	[IBV_QPS_RTS] = BIT(INIT) | BIT(RTR) | BIT(SQE),
	[IBV_QPS_ERR] = BIT(INIT) | BIT(RTR) | BIT(RTS) | BIT(SQD) | BIT(SQE),
};

/* Beyond the last of them. */
static const int no_state[] = { 7, 8, 100, 255 };

static void refuse_all(struct vb_qp *qp, enum ibv_qp_state from)
{
	for (int to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++)
		if (illegal[from] & (1u << to))
			vb_modify_refused(qp, (enum ibv_qp_state)to);
	for (unsigned i = 0; i < sizeof(no_state) / sizeof(no_state[0]); i++)
		vb_modify_refused(qp, (enum ibv_qp_state)no_state[i]);
	vb_expect_state(qp, from);
}

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);

	for (enum ibv_qp_state s = IBV_QPS_RESET; s <= IBV_QPS_RTS; s++) {
		if (s != IBV_QPS_RESET) {
			vb_modify(a, s);
			vb_modify(b, s);
		}
		refuse_all(a, s);
	}
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
	vb_modify(a, IBV_QPS_ERR);
	refuse_all(a, IBV_QPS_ERR);
}

VB_CASE(state_illegal_transitions, .id = "state/illegal-transitions",
	.title = "a transition that is not in the table changes nothing",
	.spec = "ibv_modify_qp(3): the QP state transition table",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-02", "QPS-07", "QPS-17"),
	.defects = VB_LIST("QPSM-04", "QPSM-08", "QPSM-09"), .run = run);
