// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window of type 2 may count its addresses from 0: its first byte is where it
 * begins in its region, wherever that is, and the region's own addresses mean
 * nothing to it.
 */
#include <verbatim/case.h>

enum { ROOM = 1024, AT = 200, PART = 304, SKIP = 56, BYTES = 96 };
enum { INSIDE = 2, PLACES = 6 };

/* The first of them are written. */
static const uint32_t places[PLACES] = {
	AT + SKIP,     AT + SKIP + BYTES - 8,
	AT + SKIP - 8, AT + SKIP + BYTES,
	SKIP,	       0,
};

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_2);
	uint64_t before[PLACES];
	struct vb_wr *bind, *wr;

	bind = vb_try_bind_mw(p->b, mw, .mr = mr, .offset = AT, .len = PART,
			      .access = IBV_ACCESS_REMOTE_WRITE |
					IBV_ACCESS_REMOTE_READ |
					IBV_ACCESS_ZERO_BASED);
	if (!bind)
		vb_skip(t, "windows that count from 0 are refused");
	if (vb_expect_wc_among(bind, IBV_WC_SUCCESS, IBV_WC_MW_BIND_ERR) !=
	    IBV_WC_SUCCESS)
		vb_skip(t, "windows that count from 0 are not bound");
	for (unsigned i = 0; i < PLACES; i++)
		before[i] = vb_load(mr, places[i]);
	wr = vb_post_write(p->a, .to = mr, .offset = AT + SKIP, .len = BYTES,
			   .rkey = VB_SET(vb_mr_rkey(mw)),
			   .remote = VB_SET(SKIP));
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	/* On RC a completion does not say that the processor sees it. */
	vb_expect_wc(vb_post_read(p->a, .to = mr, .offset = AT, .len = 8,
				  .rkey = VB_SET(vb_mr_rkey(mw)),
				  .remote = VB_SET(0)),
		     IBV_WC_SUCCESS);
	for (unsigned i = 0; i < PLACES; i++)
		vb_check(t, VB_FIND_WRONG_CONTENT,
			 (vb_load(mr, places[i]) != before[i]) == (i < INSIDE),
			 "byte %u of the region, of which %d to %d were "
			 "written, %s",
			 places[i], AT + SKIP, AT + SKIP + BYTES - 1,
			 i < INSIDE ? "is as before" : "has changed");
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	wr = vb_post_write(p->a, .to = mr, .offset = AT, .len = BYTES,
			   .rkey = VB_SET(vb_mr_rkey(mw)));
	vb_expect_scenario(t, "S11", wr, NULL);
	vb_expect_settled(p);
}

VB_CASE(mw_zero_based, .id = "mw/zero-based",
	.title = "a window that counts from 0 begins where it was bound",
	.spec = "ibv_alloc_mw(3): IBV_ACCESS_ZERO_BASED",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_MW2, .limit_ms = 10000,
	.rules = VB_LIST("MR-16", "MW-05", "RMA-10"),
	.defects = VB_LIST("MR-10", "MW-04"), .run = run);
