// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window gives no access before it is bound, none after it was unbound by a
 * binding of no bytes, and none after it was deallocated: its keys are dead.
 */
#include <verbatim/case.h>

enum { ROOM = 512, PART = 64 };

static void refused(struct vb_pair *p, struct vb_object *mr, uint32_t rkey)
{
	vb_expect_wc(vb_post_write(p->a, .to = mr, .len = PART,
				   .rkey = VB_SET(rkey)),
		     IBV_WC_REM_ACCESS_ERR);
	vb_expect_memory(mr);
	vb_reconnect(p);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_1);
	uint32_t bound;

	refused(p, mr, vb_mr_rkey(mw));
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = IBV_ACCESS_REMOTE_WRITE),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = PART),
		     IBV_WC_SUCCESS);
	bound = vb_mr_rkey(mw);
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr), IBV_WC_SUCCESS);
	refused(p, mr, bound);
	refused(p, mr, vb_mr_rkey(mw));
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = IBV_ACCESS_REMOTE_WRITE),
		     IBV_WC_SUCCESS);
	bound = vb_mr_rkey(mw);
	vb_destroy(mw);
	refused(p, mr, bound);
	vb_destroy(mr);
	vb_expect_settled(p);
}

VB_CASE(mw_unbound, .id = "mw/unbound",
	.title = "a window that is not bound gives no access",
	.spec = "ibv_alloc_mw(3), ibv_bind_mw(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_MW, .limit_ms = 15000,
	.rules = VB_LIST("MW-01", "MW-07", "MW-12", "WCS-09"),
	.kills = VB_LIST("M28"), .run = run);
