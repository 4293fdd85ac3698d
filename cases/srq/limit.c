// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The limit event comes once for each arming, when fewer receives are left
 * than said; then the limit reads 0.  A limit above the size, however a device
 * may have rounded that up, is refused.
 */
#include <verbatim/case.h>

enum { DEPTH = 8, LIMIT = 4 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *p = vb_connect(t, .depth = 2 * DEPTH, .srq_b = srq);
	struct vb_wr *recv[DEPTH];
	uint32_t left;

	vb_modify_srq_refused(srq, IBV_SRQ_LIMIT, 0,
			      2 * vb_srq_attr(srq)->max_wr + 1);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < DEPTH; i++)
			recv[i] = vb_post_srq_recv(srq, .len = 64);
		vb_arm_srq(srq, LIMIT);
		/* As many as it says are not fewer than it says. */
		for (unsigned i = 0; i < DEPTH - LIMIT; i++)
			vb_expect_message(vb_post_send(p->a, .len = 64),
					  recv[i]);
		left = vb_query_srq(srq).srq_limit;
		vb_check(t, VB_FIND_EARLY, left == LIMIT,
			 "with %d receives left in the SRQ its limit of %d "
			 "reads %u: it was met, and is for fewer than that",
			 LIMIT, LIMIT, left);
		for (unsigned i = DEPTH - LIMIT; i < DEPTH; i++)
			vb_expect_message(vb_post_send(p->a, .len = 64),
					  recv[i]);
		vb_expect_srq_limit(srq);
	}
	vb_expect_all_settled(t);
}

VB_CASE(srq_limit, .id = "srq/limit",
	.title = "an SRQ's limit event comes once for each arming",
	.spec = "ibv_modify_srq(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000,
	.rules = VB_LIST("SRQ-05", "SRQ-06", "SRQ-08", "AEV-10"),
	.kills = VB_LIST("D53"), .run = run);
