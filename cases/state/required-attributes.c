// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * On each step from RESET to RTS every required attribute is left out in turn:
 * the modify is refused and changes nothing; with all of them it is accepted.
 */
#include <verbatim/case.h>

static const struct step {
	enum ibv_qp_state to;
	unsigned required;
} steps[] = {
	{ IBV_QPS_INIT, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT },
	{ IBV_QPS_RTR, IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_MAX_DEST_RD_ATOMIC |
			       IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MTU |
			       IBV_QP_RQ_PSN },
	{ IBV_QPS_RTS, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT |
			       IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			       IBV_QP_TIMEOUT },
};

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		unsigned left = steps[i].required;

		for (; left; left &= left - 1)
			vb_modify_refused(a, steps[i].to, .omit = left & -left);
		vb_modify_refused(a, steps[i].to, .omit = steps[i].required);
		vb_modify(a, steps[i].to);
		vb_modify(b, steps[i].to);
	}
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_required_attributes, .id = "state/required-attributes",
	.title = "a step without one of its required attributes is refused",
	.spec = "ibv_modify_qp(3): required attributes of each transition",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-03", "QPS-07"),
	.defects = VB_LIST("QPSM-04", "QPSM-08"), .run = run);
