// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The port of the address vector is the one that was chosen at INIT; another,
 * valid as it is, is refused.  It takes a device of two ports.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	unsigned ports = vb_device_attr(vb_a(t))->phys_port_cnt;
	unsigned own = (unsigned)t->options->port;
	struct vb_qp *qp;

	if (ports < 2)
		vb_skip(t, "the device has one port");
	qp = vb_create_qp(vb_a(t), .depth = 2);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify_refused(qp, IBV_QPS_RTR, .av_port = VB_SET(own == 1 ? 2 : 1));
	vb_modify(qp, IBV_QPS_RTR);
}

VB_CASE(state_other_port, .id = "state/other-port",
	.title = "an address of another port than INIT's is refused",
	.spec = "ibv_modify_qp(3): ah_attr.port_num", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000, .rules = VB_LIST("QPS-23"),
	.defects = VB_LIST("QPSM-18"), .run = run);
