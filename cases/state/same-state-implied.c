// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A modify that names no state is one from the present state to itself: what
 * the table allows there is taken and read back, what it does not is refused.
 * A wrong assumption of the present state (CUR_STATE) is refused where it is
 * none that the table knows.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);

	vb_modify(a, IBV_QPS_INIT);
	vb_modify(b, IBV_QPS_INIT);
	vb_modify(a, IBV_QPS_INIT, .omit = IBV_QP_STATE,
		  .access = VB_SET(IBV_ACCESS_REMOTE_READ));
	vb_modify_refused(a, IBV_QPS_INIT, .omit = IBV_QP_STATE,
			  .dest_qpn = VB_SET(vb_qp_num(b)));
	vb_modify(a, IBV_QPS_RTR);
	vb_modify(b, IBV_QPS_RTR);
	/* It is in RTR; to say so is right, INIT is none of those allowed. */
	vb_modify_refused(a, IBV_QPS_RTS, .cur_state = VB_SET(IBV_QPS_INIT));
	vb_modify_refused(a, IBV_QPS_RTS, .cur_state = VB_SET(IBV_QPS_ERR));
	vb_modify(a, IBV_QPS_RTS, .cur_state = VB_SET(IBV_QPS_RTR));
	vb_modify(b, IBV_QPS_RTS);
	vb_modify(a, IBV_QPS_RTS, .omit = IBV_QP_STATE,
		  .min_rnr_timer = VB_SET(9));
	vb_modify_refused(a, IBV_QPS_RTS, .omit = IBV_QP_STATE,
			  .port = VB_SET(t->options->port));
	vb_expect_attributes(a);
	vb_stream(p, .messages = 4, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_same_state_implied, .id = "state/same-state-implied",
	.title = "without a state a modify is one to the present state",
	.spec = "Linux: ib_modify_qp_is_ok()", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("QPS-05", "QPS-06", "QPS-07"),
	.defects = VB_LIST("QPSM-04"), .run = run);
