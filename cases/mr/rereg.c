// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A region registered anew with other rights gives those and no more, under
 * the key it has then; refused others, it has those that it had.
 */
#include <verbatim/case.h>

enum { ROOM = 400 };

static void run(struct vb_test *t)
{
	const uint64_t write = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *mr = vb_create_mr(vb_qp_pd(p->b), .len = ROOM,
					    .access = VB_SET(write));
	int answer;

	vb_expect_wc(vb_post_write(p->a, .to = mr, .len = ROOM),
		     IBV_WC_SUCCESS);
	if (!vb_try_rereg_mr(mr, &answer,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_READ)))
		vb_skip(t, "ibv_rereg_mr() gave %d", answer);
	vb_expect_wc(vb_post_read(p->a, .to = mr, .len = ROOM), IBV_WC_SUCCESS);
	/* Writing from afar without the local right: it stays as it was. */
	if (!vb_try_rereg_mr(mr, &answer,
			     .access = VB_SET(IBV_ACCESS_REMOTE_WRITE)) &&
	    answer == IBV_REREG_MR_ERR_INPUT)
		vb_expect_wc(vb_post_read(p->a, .to = mr, .len = ROOM),
			     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_write(p->a, .to = mr, .len = 1),
		     IBV_WC_REM_ACCESS_ERR);
	vb_expect_memory(mr);
	vb_expect_settled(p);
}

VB_CASE(mr_rereg, .id = "mr/rereg",
	.title = "a region registered anew has its new rights alone",
	.spec = "ibv_rereg_mr(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 10000, .rules = VB_LIST("MR-18", "MR-19"),
	.kills = VB_LIST("M49"), .run = run);
