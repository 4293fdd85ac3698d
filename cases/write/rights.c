// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A region without REMOTE_WRITE, one of another PD, a key that is another's
 * and one that has been deregistered: each WRITE is refused and changes
 * nothing.
 */
#include <verbatim/case.h>

enum { ROOM = 256, TRIES = 4 };

static void run(struct vb_test *t)
{
	const uint64_t local = IBV_ACCESS_LOCAL_WRITE;
	const uint64_t both = local | IBV_ACCESS_REMOTE_WRITE;
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *pd = vb_qp_pd(p->b);
	struct vb_object *to[TRIES] = {
		vb_create_mr(pd, .len = ROOM, .access = VB_SET(local)),
		vb_create_mr(vb_create_pd(vb_b(t)), .len = ROOM,
			     .access = VB_SET(both)),
		vb_create_target(pd, ROOM),
		vb_create_target(pd, ROOM),
	};
	const uint32_t keys[TRIES] = { vb_mr_rkey(to[0]), vb_mr_rkey(to[1]),
				       vb_mr_rkey(to[2]) ^ 0x5a,
				       vb_mr_rkey(to[3]) };

	vb_destroy(to[3]);
	for (unsigned i = 0; i < TRIES; i++) {
		vb_expect_wc(vb_post_write(p->a, .to = to[i], .len = ROOM,
					   .rkey = VB_SET(keys[i])),
			     IBV_WC_REM_ACCESS_ERR);
		vb_expect_memory(to[i]);
		vb_reconnect(p);
	}
	vb_expect_settled(p);
}

VB_CASE(write_rights, .id = "write/rights",
	.title = "a WRITE without the right, or to the wrong key, is refused",
	.spec = "ibv_reg_mr(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("MR-05", "MR-10", "MR-11", "PD-04"), .run = run);
