// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A limit armed with fewer receives in the SRQ than it says raises its event
 * at once, or with the next receive that is taken: once either way.  Armed for
 * nothing, it raises none.
 */
#include <verbatim/case.h>

enum { DEPTH = 8, HELD = 4, LIMIT = 6, BYTES = 32 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_wr *recvs[HELD];

	for (unsigned i = 0; i < HELD; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_arm_srq(srq, 0);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recvs[0]);
	vb_arm_srq(srq, LIMIT);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recvs[1]);
	vb_expect_srq_limit(srq);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recvs[2]);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recvs[3]);
	vb_expect_settled(p);
}

VB_CASE(srq_limit_late, .id = "srq/limit-late",
	.title = "a limit above what the SRQ holds raises its event once",
	.spec = "ibv_modify_srq(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("SRQ-07", "SRQ-06", "SRQ-05"),
	.kills = VB_LIST("M10"), .run = run);
