// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The bounds of a region are exact: the whole of it may be written; a WRITE of
 * one byte before it, one past it, or one too long, is refused, and nothing
 * inside or outside has changed.
 */
#include <verbatim/case.h>

enum { ROOM = 1000, TRIES = 3 };

static void run(struct vb_test *t)
{
	const struct {
		int64_t at;
		uint32_t len;
	} tries[TRIES] = { { -1, 10 }, { ROOM, 1 }, { 0, ROOM + 1 } };
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	vb_expect_wc(vb_post_write(p->a, .to = to, .len = ROOM),
		     IBV_WC_SUCCESS);
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t address = vb_mr_address(to) + (uint64_t)tries[i].at;
		struct vb_wr *wr = vb_post_write(p->a, .to = to,
						 .remote = VB_SET(address),
						 .len = tries[i].len);

		vb_expect_wc(wr, IBV_WC_REM_ACCESS_ERR);
		vb_expect_memory(to);
		vb_expect_state(p->a, IBV_QPS_ERR);
		vb_reconnect(p);
	}
	vb_expect_settled(p);
}

VB_CASE(write_bounds, .id = "write/bounds",
	.title = "a WRITE outside its region is refused, to the byte",
	.spec = "ibv_reg_mr(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("MR-07", "MR-08", "NAK-04"), .run = run);
