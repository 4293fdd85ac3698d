// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Without rights a process gets no raw packet queue pair, and may not set a
 * Q_Key whose highest bit marks it as privileged.
 */
#include <verbatim/case.h>

#define PRIVILEGED 0x80010000u

static void run(struct vb_test *t)
{
	struct vb_end *a = vb_a(t);
	struct vb_qp *qp = NULL;

	if (!vb_give_up_rights(a))
		vb_skip(t, "this process cannot give up its rights");
	vb_create_qp_refused(a, .type = IBV_QPT_RAW_PACKET, .depth = 1);
	qp = vb_create_qp(a, .type = IBV_QPT_UD, .depth = 1);
	vb_modify_refused(qp, IBV_QPS_INIT, .qkey = VB_SET(PRIVILEGED));
	vb_modify(qp, IBV_QPS_INIT, .qkey = VB_SET(PRIVILEGED >> 1));
}

VB_CASE(resource_rights, .id = "resource/rights",
	.title = "raw packets and privileged Q_Keys need a right",
	.spec = "ibv_create_qp(3); InfiniBand: Q_Keys", .dimension = VB_FAULT,
	.needs = VB_NEED_UD, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ | VB_PATH_EXTENDED | VB_PATH_BUILDER,
	.rules = VB_LIST("RES-09", "CON-19"), .defects = VB_LIST("QPSM-04"),
	.run = run);
