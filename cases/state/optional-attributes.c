// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attributes that a transition may take are accepted and read back: access
 * flags, port and P_Key index in INIT, access flags and the RNR timer towards
 * RTS and in RTS.  A message afterwards proves that nothing else was hurt.
 */
#include <verbatim/case.h>

enum {
	WRITE = IBV_ACCESS_REMOTE_WRITE,
	BOTH = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
};

static void bring_up(struct vb_qp *qp, const struct vb_options *o)
{
	vb_modify(qp, IBV_QPS_INIT, .access = VB_SET(0));
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_INIT, .access = VB_SET(BOTH));
	vb_modify(qp, IBV_QPS_INIT, .port = VB_SET(o->port));
	vb_modify(qp, IBV_QPS_INIT, .pkey_index = VB_SET(0));
	vb_modify(qp, IBV_QPS_RTR, .access = VB_SET(WRITE),
		  .pkey_index = VB_SET(0));
	vb_modify(qp, IBV_QPS_RTS, .access = VB_SET(BOTH),
		  .min_rnr_timer = VB_SET(13),
		  .cur_state = VB_SET(IBV_QPS_RTR));
	vb_modify(qp, IBV_QPS_RTS);
	vb_modify(qp, IBV_QPS_RTS, .cur_state = VB_SET(IBV_QPS_RTS));
	vb_modify(qp, IBV_QPS_RTS, .access = VB_SET(0));
	vb_modify(qp, IBV_QPS_RTS, .min_rnr_timer = VB_SET(10));
	vb_expect_attributes(qp);
}

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);

	bring_up(a, t->options);
	bring_up(b, t->options);
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_optional_attributes, .id = "state/optional-attributes",
	.title = "attributes that a transition may take are taken",
	.spec = "ibv_modify_qp(3): optional attributes of each transition",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-02", "QPS-09", "QPS-26", "QPS-27"),
	.defects = VB_LIST("QPSM-02", "QPSM-19", "QPSM-20"), .run = run);
