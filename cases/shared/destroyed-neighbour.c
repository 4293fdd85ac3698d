// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completions of two queue pairs lie interleaved in the CQ that they share when
 * one of them is destroyed: those of the other are all there still, once and in
 * their order.
 */
#include <verbatim/case.h>

enum { DEPTH = 24, FILL_MS = 3 };

static void run(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(4 * DEPTH));
	struct vb_wr *sends[2][DEPTH], *recvs[2][DEPTH];
	struct vb_pair *p[2];

	for (unsigned q = 0; q < 2; q++)
		p[q] = vb_join(vb_create_qp(vb_a(t), .depth = DEPTH,
					    .send_cq = cq, .recv_cq = cq),
			       vb_create_qp(vb_b(t), .depth = DEPTH));
	for (unsigned i = 0; i < DEPTH; i++)
		for (unsigned q = 0; q < 2; q++)
			recvs[q][i] = vb_post_recv(p[q]->b, .len = 64);
	vb_hold_cq(cq);
	for (unsigned i = 0; i < DEPTH; i++)
		for (unsigned q = 0; q < 2; q++) {
			sends[q][i] = vb_post_send(p[q]->a, .len = i);
			vb_expect_wc(recvs[q][i], IBV_WC_SUCCESS);
		}
	vb_let_pass(t, FILL_MS);
	vb_destroy_qp(p[0]->a);
	vb_release_cq(cq);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(sends[1][i], recvs[1][i]);
	vb_stream(p[1], .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p[1]);
}

VB_CASE(shared_destroyed_neighbour, .id = "shared/destroyed-neighbour",
	.title = "destroying a queue pair takes no other's completions along",
	.spec = "ibv_destroy_qp(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("TDN-05", "DST-04", "DST-07", "CQ-01"),
	.defects = VB_LIST("CQ-16", "CQ-14", "WRID-02"),
	.kills = VB_LIST("M17"), .run = run);
