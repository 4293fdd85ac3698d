// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives of one SRQ serve four queue pairs: each is used once, and comes on
 * the CQ and with the number of the one that took it.
 */
#include <verbatim/case.h>

enum { PAIRS = 4, DEPTH = 32 };

static void run(struct vb_test *t)
{
	struct vb_object *srq = vb_create_srq(
		vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH), .sges = 2);
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];
	struct vb_pair *p[PAIRS];

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = 500, .sges = 1 + i % 2);
	for (unsigned i = 0; i < DEPTH; i++)
		sends[i] = vb_post_send(p[i % PAIRS]->a, .len = 17 * i % 500);
	for (unsigned i = 0; i < DEPTH; i++) {
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
		vb_expect_some_message(recvs[i]);
	}
	vb_check(t, VB_FIND_WRONG_COUNT, vb_srq_left(srq) == 0,
		 "%u receives are left in the SRQ", vb_srq_left(srq));
	vb_expect_all_settled(t);
}

VB_CASE(srq_shared, .id = "srq/shared",
	.title = "receives of an SRQ serve all its queue pairs, once each",
	.spec = "ibv_create_srq(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("SRQ-01", "SRQ-02", "SRQ-14"),
	.run = run);
