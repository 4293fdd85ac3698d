// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair in a multicast group is busy: it goes once it has left the
 * group.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	static const union ibv_gid group = {
		.raw = { [10] = 0xff, 0xff, 224, 5, 6, 7 }
	};
	struct vb_qp *qp =
		vb_create_qp(vb_a(t), .type = IBV_QPT_UD, .depth = 2);

	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++)
		vb_modify(qp, s);
	if (vb_attach_multicast(qp, &group))
		vb_skip(t, "the device has no multicast groups");
	vb_destroy_qp_refused(qp);
	vb_expect_state(qp, IBV_QPS_RTS);
	vb_check(t, VB_FIND_WRONG_RETURN, !vb_detach_multicast(qp, &group),
		 "a queue pair could not leave its group");
	vb_destroy_qp(qp);
}

VB_CASE(resource_multicast, .id = "resource/multicast",
	.title = "a queue pair in a multicast group is busy",
	.spec = "ibv_attach_mcast(3), ibv_destroy_qp(3)", .needs = VB_NEED_UD,
	.limit_ms = 10000, .rules = VB_LIST("DST-02", "DST-11"),
	.defects = VB_LIST("CQ-14"), .run = run);
