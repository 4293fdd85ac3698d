// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A region goes while a peer writes to it: once ibv_dereg_mr() has returned
 * its memory does not change any more, and what is left of the traffic fails.
 */
#include <verbatim/case.h>

enum { BYTES = 1 << 16, WRITES = 64, ROUNDS = 4, QUIET_MS = 10 };

static void one(struct vb_test *t)
{
	struct vb_object *mr = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p = vb_connect(t, .depth = WRITES);
	struct vb_wr *wrs[WRITES], *late;
	unsigned done = 0;
	uint64_t before;

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	for (unsigned i = 0; i < WRITES; i++)
		wrs[i] = vb_post_write(p->a, .to = mr, .len = BYTES);
	/* Some are through, one is under way, the others wait. */
	vb_expect_wc(wrs[0], IBV_WC_SUCCESS);
	if (!vb_try_destroy(mr)) {
		vb_note(t, "deregistering is refused while it is written to");
		for (unsigned i = 0; i < WRITES; i++)
			vb_expect_wc(wrs[i], IBV_WC_SUCCESS);
		return;
	}
	before = vb_load(mr, BYTES / 2);
	vb_store(mr, BYTES / 2, 8);
	before = vb_load(mr, BYTES / 2);
	for (unsigned i = 1; i < WRITES; i++)
		done += vb_expect_wc_among(wrs[i], IBV_WC_SUCCESS,
					   IBV_WC_REM_ACCESS_ERR,
					   IBV_WC_WR_FLUSH_ERR) ==
			IBV_WC_SUCCESS;
	vb_let_pass(t, QUIET_MS);
	vb_check(t, VB_FIND_WRONG_CONTENT, vb_load(mr, BYTES / 2) == before,
		 "memory was written after its region was deregistered");
	late = done == WRITES - 1 ? vb_post_write(p->a, .to = mr, .len = 8)
				  : NULL;
	if (late)
		vb_expect_scenario(t, "S10", late, NULL);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		one(t);
}

VB_CASE(mr_dereg_under_traffic, .id = "mr/dereg-under-traffic",
	.title = "nothing is written to a region after it is deregistered",
	.spec = "ibv_dereg_mr(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("MR-10", "MR-21", "DST-09"),
	.defects = VB_LIST("KEY-01", "KEY-05"), .kills = VB_LIST("M36"),
	.run = run);
