// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An attribute that is neither required nor optional for a transition makes
 * the modify fail, valid as its value may be, and nothing changes.
 */
#include <verbatim/case.h>

enum { BITS = 21, ALL = (1 << BITS) - 1 };

static const struct step {
	enum ibv_qp_state to;
	unsigned allowed; /* required or optional, besides the state */
} steps[] = {
	{ IBV_QPS_INIT, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT },
	{ IBV_QPS_RTR, IBV_QP_AV | IBV_QP_DEST_QPN | IBV_QP_MAX_DEST_RD_ATOMIC |
			       IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MTU |
			       IBV_QP_RQ_PSN | IBV_QP_ACCESS_FLAGS |
			       IBV_QP_ALT_PATH | IBV_QP_PKEY_INDEX },
	{ IBV_QPS_RTS, IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT |
			       IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			       IBV_QP_TIMEOUT | IBV_QP_ACCESS_FLAGS |
			       IBV_QP_ALT_PATH | IBV_QP_CUR_STATE |
			       IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE },
	/* RTS to RTS. */
	{ IBV_QPS_RTS, IBV_QP_ACCESS_FLAGS | IBV_QP_ALT_PATH |
			       IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER |
			       IBV_QP_PATH_MIG_STATE },
	{ IBV_QPS_ERR, 0 },
	{ IBV_QPS_RESET, 0 },
};

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);

	vb_introduce(a, b);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		unsigned left = ALL & ~(steps[i].allowed | IBV_QP_STATE);

		for (; left; left &= left - 1)
			vb_modify_refused(a, steps[i].to, .add = left & -left);
		vb_modify(a, steps[i].to);
	}
}

VB_CASE(state_foreign_attributes, .id = "state/foreign-attributes",
	.title = "an attribute that a transition does not take is refused",
	.spec = "ibv_modify_qp(3): attributes of each transition",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-04", "QPS-07", "QPS-28"),
	.defects = VB_LIST("QPSM-04"), .run = run);
