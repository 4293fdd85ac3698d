// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A READ needs REMOTE_READ at the region, and LOCAL_WRITE where its result
 * goes; the error is on the side that lacks it.
 */
#include <verbatim/case.h>

enum { ROOM = 512 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *closed =
		vb_create_mr(vb_qp_pd(p->b), .len = ROOM,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_WRITE));
	struct vb_object *open = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_object *into =
		vb_create_mr(vb_qp_pd(p->a), .len = ROOM, .access = VB_SET(0));

	vb_expect_wc(vb_post_read(p->a, .to = closed, .len = ROOM),
		     IBV_WC_REM_ACCESS_ERR);
	vb_reconnect(p);
	vb_expect_wc(vb_post_read(p->a, .to = open, .len = ROOM, .mr = into),
		     IBV_WC_LOC_PROT_ERR);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_reconnect(p);
	vb_expect_wc(vb_post_read(p->a, .to = open, .len = ROOM),
		     IBV_WC_SUCCESS);
	vb_expect_memory(open);
	vb_expect_memory(closed);
	vb_expect_settled(p);
}

VB_CASE(read_rights, .id = "read/rights",
	.title = "a READ needs its right at either end",
	.spec = "ibv_reg_mr(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("MR-03", "MR-04", "WCS-04"), .run = run);
