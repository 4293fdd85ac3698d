// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A P_Key index beyond the table is refused where a transition takes one, and
 * nothing changes; with the right one the connection then works.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);
	unsigned beyond = vb_port_attr(vb_a(t))->pkey_tbl_len;

	vb_modify_refused(a, IBV_QPS_INIT, .pkey_index = VB_SET(beyond));
	vb_modify_refused(a, IBV_QPS_INIT, .pkey_index = VB_SET(UINT16_MAX));
	vb_modify(a, IBV_QPS_INIT);
	vb_modify_refused(a, IBV_QPS_INIT, .pkey_index = VB_SET(beyond));
	vb_modify_refused(a, IBV_QPS_RTR, .pkey_index = VB_SET(beyond));
	vb_modify(b, IBV_QPS_INIT);
	for (enum ibv_qp_state s = IBV_QPS_RTR; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_modify(b, s);
	}
	vb_stream(p, .messages = 4, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(connect_pkey_index, .id = "connect/pkey-index",
	.title = "a P_Key index beyond the table is refused",
	.spec = "ibv_modify_qp(3): pkey_index", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-11", "QPS-07"), .defects = VB_LIST("QPSM-18"),
	.run = run);
