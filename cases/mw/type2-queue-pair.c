// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window of type 2 opens its region through the queue pair it was bound on
 * alone.  A binding of no bytes is an error of that type; a key that is not
 * bound cannot be invalidated.
 */
#include <verbatim/case.h>

enum { ROOM = 512 };

static struct vb_object *bound(struct vb_pair *p, struct vb_object *mr)
{
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_2);

	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = IBV_ACCESS_REMOTE_WRITE |
					  IBV_ACCESS_REMOTE_READ),
		     IBV_WC_SUCCESS);
	return mw;
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_pair *other = vb_connect(t, .depth = 8);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = bound(p, mr), *empty;
	struct vb_wr *wr;

	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = ROOM),
		     IBV_WC_SUCCESS);
	vb_expect_scenario(t, "S14",
			   vb_post_read(other->a, .to = mw, .len = 16), NULL);
	vb_reconnect(other);
	vb_expect_scenario(t, "S14",
			   vb_post_write(other->a, .to = mw, .len = 16), NULL);
	vb_expect_memory(mr);
	vb_expect_wc(vb_post_read(p->a, .to = mw, .len = ROOM), IBV_WC_SUCCESS);

	vb_expect_wc(vb_post_local_inv(p->b, .invalidate = mw), IBV_WC_SUCCESS);
	vb_expect_scenario(t, "S37",
			   vb_try_post_send(p->b, .op = VB_LOCAL_INV,
					    .inv_rkey = VB_SET(0xfedcba98)),
			   NULL);
	vb_reconnect(p);
	empty = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_2);
	wr = vb_try_bind_mw(p->b, empty, .mr = mr,
			    .access = IBV_ACCESS_REMOTE_WRITE);
	if (wr && vb_expect_wc_among(wr, IBV_WC_SUCCESS, IBV_WC_MW_BIND_ERR) ==
			  IBV_WC_SUCCESS)
		vb_note(t, "a window of type 2 was bound to no bytes");
	vb_reconnect(p);
	vb_expect_wc(vb_post_write(p->a, .to = mr, .len = 8,
				   .rkey = VB_SET(vb_mr_rkey(empty))),
		     IBV_WC_REM_ACCESS_ERR);
	vb_expect_memory(mr);
	vb_expect_all_settled(t);
}

VB_CASE(mw_type2_queue_pair, .id = "mw/type2-queue-pair",
	.title = "a window of type 2 is its queue pair's alone",
	.spec = "ibv_alloc_mw(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_MW2, .limit_ms = 15000,
	.rules = VB_LIST("MW-06", "MW-07", "MW-13", "WCS-02"),
	.kills = VB_LIST("M28"), .run = run);
