// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window of type 1: bound, it gives access to its part alone; bound anew,
 * its old key is dead; its region cannot be deregistered while it is bound.
 */
#include <verbatim/case.h>

enum { ROOM = 1024, AT = 200, PART = 300 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_1);
	uint32_t old;

	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .offset = AT, .len = PART,
				.access = IBV_ACCESS_REMOTE_WRITE |
					  IBV_ACCESS_REMOTE_READ),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = PART),
		     IBV_WC_SUCCESS);
	vb_expect_memory(mr);
	vb_expect_wc(vb_post_read(p->a, .to = mw, .offset = 5, .len = 60),
		     IBV_WC_SUCCESS);
	vb_destroy_refused(mr);
	old = vb_mr_rkey(mw);
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .offset = AT, .len = PART,
				.access = IBV_ACCESS_REMOTE_WRITE),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = 8,
				   .rkey = VB_SET(old)),
		     IBV_WC_REM_ACCESS_ERR);
	vb_expect_memory(mr);
	vb_expect_settled(p);
}

VB_CASE(mw_type1, .id = "mw/type1",
	.title = "a window of type 1 opens its part, under its newest key",
	.spec = "ibv_bind_mw(3)", .needs = VB_NEED_RC | VB_NEED_MW,
	.limit_ms = 10000, .rules = VB_LIST("MW-05", "MW-08", "MW-09", "MW-11"),
	.run = run);
