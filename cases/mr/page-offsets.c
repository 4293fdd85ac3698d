// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Regions begin anywhere in a page: what is sent from them, and what a peer
 * reads there, are the bytes that lie there.
 */
#include <verbatim/case.h>

enum { ROOM = 16384, STEP = 509, BYTES = 300, REMOTE = IBV_ACCESS_REMOTE_READ };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *pd = vb_qp_pd(p->a);
	struct vb_object *all =
		vb_create_mr(pd, .len = ROOM,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE | REMOTE));

	for (uint32_t at = 0; at + BYTES <= ROOM; at += STEP) {
		struct vb_object *part = vb_create_mr(
			pd, .len = BYTES, .over = all, .offset = at,
			.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | REMOTE));
		struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

		vb_expect_message(vb_post_send(p->a, .len = BYTES, .mr = part),
				  recv);
		vb_expect_wc(vb_post_read(p->b, .to = part, .len = BYTES),
			     IBV_WC_SUCCESS);
		vb_destroy(part);
	}
	vb_expect_settled(p);
}

VB_CASE(mr_page_offsets, .id = "mr/page-offsets",
	.title = "a region may begin at any byte of a page",
	.spec = "ibv_reg_mr(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 10000, .rules = VB_LIST("SGE-07", "RMA-01", "MSG-15"),
	.defects = VB_LIST("DATA-04", "DATA-05"), .kills = VB_LIST("D05"),
	.run = run);
