// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An address handle made of a datagram's completion and of the header before
 * it reaches its sender.
 */
#include <verbatim/case.h>

enum { COUNT = 4, BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);

	for (unsigned i = 0; i < COUNT; i++) {
		struct vb_wr *here = vb_post_recv(p->b, .len = BYTES);
		struct vb_wr *there = vb_post_recv(p->a, .len = BYTES);
		struct vb_object *ah;

		vb_expect_message(vb_post_send(p->a, .len = BYTES - i), here);
		ah = vb_try_create_ah_from_wc(vb_qp_pd(p->b), here);
		vb_check(t, VB_FIND_WRONG_RETURN, ah,
			 "no address handle of a datagram's completion");
		vb_expect_message(vb_post_send(p->b, .ah = ah, .len = i),
				  there);
		vb_destroy(ah);
	}
	vb_expect_settled(p);
}

VB_CASE(ud_reply, .id = "ud/reply",
	.title = "a datagram's completion tells the way back",
	.spec = "ibv_create_ah_from_wc(3)", .needs = VB_NEED_UD,
	.limit_ms = 10000, .rules = VB_LIST("UD-09", "CMP-18", "CMP-19"),
	.run = run);
