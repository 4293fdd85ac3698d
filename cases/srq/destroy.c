// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An SRQ is not destroyed while a queue pair uses it, and works on.  Destroyed
 * behind its queue pairs, its receives go with it and nothing is said of them.
 */
#include <verbatim/case.h>

enum { DEPTH = 8, BYTES = 32, QUIET_MS = 5 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *first = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *second = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_wr *recvs[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_destroy_refused(srq);
	vb_expect_message(vb_post_send(first->a, .len = BYTES), recvs[0]);
	vb_destroy_qp(first->b);
	vb_destroy_refused(srq);
	/* What the first has not used is all there. */
	for (unsigned i = 1; i < DEPTH; i++)
		vb_expect_message(vb_post_send(second->a, .len = BYTES),
				  recvs[i]);
	vb_post_srq_recv(srq, .len = BYTES);
	vb_post_srq_recv(srq, .len = BYTES);
	vb_expect_settled(second);
	vb_destroy_qp(second->b);
	vb_destroy(srq);
	vb_expect_quiet(vb_b(t), QUIET_MS);
	vb_expect_all_settled(t);
}

VB_CASE(srq_destroy, .id = "srq/destroy",
	.title = "an SRQ outlives its queue pairs, and goes without a word",
	.spec = "ibv_destroy_srq(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("SRQ-12", "SRQ-13", "DST-01"),
	.kills = VB_LIST("D12"), .run = run);
