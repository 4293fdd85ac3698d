// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A device that has no atomics executes none: they are refused when posted, or
 * fail.  (Where it has them, a region without the right is the same.)
 */
#include <verbatim/case.h>

enum { ROOM = 64 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *to =
		vb_create_mr(vb_qp_pd(p->b), .len = ROOM,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_WRITE |
					      IBV_ACCESS_REMOTE_READ));
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;

	for (unsigned i = 0; i < 2; i++) {
		struct vb_wr *wr = vb_try_post_send(
			p->a, .op = i ? VB_CMP_SWAP : VB_FETCH_ADD, .to = to,
			.offset = at, .add = 1, .compare = vb_load(to, at),
			.swap = 5);

		if (wr)
			vb_expect_wc_among(wr, IBV_WC_REM_ACCESS_ERR,
					   IBV_WC_REM_INV_REQ_ERR,
					   IBV_WC_LOC_QP_OP_ERR);
		vb_expect_memory(to);
		vb_reconnect(p);
	}
	vb_expect_settled(p);
}

VB_CASE(atomic_none, .id = "atomic/none",
	.title =
		"an atomic without atomics, or without the right, does nothing",
	.spec = "ibv_query_device(3): atomic_cap", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("ATO-08", "MR-06", "WCS-10"), .run = run);
