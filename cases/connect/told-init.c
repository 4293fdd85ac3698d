// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * With what a queue pair was created is told by a query as long as it lives:
 * its capabilities, type, CQs, SRQ, sq_sig_all and qp_context, before it is
 * connected, with traffic, and in ERR; in whichever way it was created.
 */
#include <verbatim/case.h>

static void judge(struct vb_pair *p)
{
	vb_expect_told_init(p->a);
	vb_expect_told_init(p->b);
}

static void run(struct vb_test *t)
{
	struct vb_qp *reset = vb_create_qp(vb_a(t), .send_depth = VB_SET(3),
					   .recv_depth = VB_SET(17),
					   .cq = VB_CQ_SPLIT);
	struct vb_pair *each = vb_connect(t, .depth = 8, .sges = 2,
					  .cq = VB_CQ_SPLIT, .sig_all = true);
	struct vb_pair *plain = vb_connect(t, .depth = 5, .inline_max = 16);

	VB_EACH_PATH(t, IBV_QPT_RC, path)
	vb_expect_told_init(vb_create_qp(vb_b(t), .path = path, .depth = 3));
	vb_expect_told_init(reset);
	judge(each);
	judge(plain);
	vb_stream(plain, .messages = 16, .direction = VB_BOTH_WAYS);
	judge(plain);
	vb_modify(each->a, IBV_QPS_ERR);
	judge(each);
	vb_expect_all_settled(t);
}

VB_CASE(connect_told_init, .id = "connect/told-init",
	.title = "a query tells with what a queue pair was created",
	.spec = "ibv_query_qp(3): init_attr", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("RES-04", "QPS-09"),
	.defects = VB_LIST("SRQ-17"), .kills = VB_LIST("M41", "M42"),
	.run = run);
