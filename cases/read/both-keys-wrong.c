// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * With a wrong key at both ends a READ tells of the remote one, a WRITE of the
 * local one, or either: which is found first differs.  Neither writes.
 */
#include <verbatim/case.h>

enum { ROOM = 64, GARBAGE = 0xfedcba98 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	vb_expect_scenario(t, "S21",
			   vb_post_read(p->a, .to = to, .len = ROOM,
					.lkey = VB_SET(GARBAGE),
					.rkey = VB_SET(GARBAGE)),
			   NULL);
	vb_reconnect(p);
	vb_expect_scenario(t, "S22",
			   vb_post_write(p->a, .to = to, .len = ROOM,
					 .lkey = VB_SET(GARBAGE),
					 .rkey = VB_SET(GARBAGE)),
			   NULL);
	vb_expect_memory(to);
	vb_reconnect(p);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = ROOM), IBV_WC_SUCCESS);
	vb_expect_settled(p);
}

VB_CASE(read_both_keys_wrong, .id = "read/both-keys-wrong",
	.title = "of two wrong keys one is told, and nothing is written",
	.spec = "ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("WCS-24", "WCS-04", "MR-11"), .kills = VB_LIST("M28"),
	.run = run);
