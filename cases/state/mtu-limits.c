// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The path MTU is a code from 1 to 5: 0 is refused.  One above what the port
 * can do at all is refused too; between its active and its largest one devices
 * may differ.
 */
#include <verbatim/case.h>

enum { BYTES_MAX = 4096 };

static void above(struct vb_test *t, struct vb_qp *qp)
{
	const struct ibv_port_attr *port = vb_port_attr(vb_qp_end(qp));

	if (port->max_mtu < IBV_MTU_4096)
		vb_modify_refused(qp, IBV_QPS_RTR, .mtu = VB_SET(BYTES_MAX));
	else if (port->active_mtu < IBV_MTU_4096 &&
		 vb_try_modify(qp, IBV_QPS_RTR, .mtu = VB_SET(BYTES_MAX)))
		vb_note(t, "a path MTU above the active one was accepted");
}

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);

	vb_introduce(a, b);
	vb_modify(a, IBV_QPS_INIT);
	above(t, a);
	vb_modify(a, IBV_QPS_RESET);
	vb_modify(a, IBV_QPS_INIT);
	vb_modify_refused(a, IBV_QPS_RTR, .mtu = VB_SET(0));
	vb_expect_state(a, IBV_QPS_INIT);
}

VB_CASE(state_mtu_limits, .id = "state/mtu-limits",
	.title = "a path MTU outside the port's limits is refused",
	.spec = "ibv_modify_qp(3): path_mtu", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("CON-03", "QPS-07"),
	.defects = VB_LIST("MTU-01", "MTU-04"), .run = run);
