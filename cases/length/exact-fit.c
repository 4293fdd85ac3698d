// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive of exactly the message's size takes it, at every size around the
 * packets' ends, in one piece and in two; so does one of no bytes a message of
 * none.
 */
#include <verbatim/case.h>

static void fits(struct vb_pair *p, uint32_t bytes)
{
	struct vb_wr *one = vb_post_recv(p->b, .len = bytes);
	struct vb_wr *two = vb_post_recv(p->b, .len = bytes, .sges = 2);
	struct vb_wr *first = vb_post_send(p->a, .len = bytes);
	struct vb_wr *second = vb_post_send(p->a, .len = bytes);

	vb_expect_message(first, one);
	vb_expect_message(second, two);
}

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));
	struct vb_pair *p = vb_connect(t, .depth = 2, .sges = 2);

	for (uint32_t bytes = 0; bytes <= 20; bytes++)
		fits(p, bytes);
	for (uint32_t packets = 1; packets <= 4; packets++)
		for (uint32_t off = 0; off <= 2; off++)
			fits(p, packets * mtu - 1 + off);
	fits(p, 65535);
	fits(p, 65536);
	vb_expect_settled(p);
}

VB_CASE(length_exact_fit, .id = "length/exact-fit",
	.title = "a receive of exactly the message's size takes it",
	.spec = "ibv_post_recv(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("MSG-06", "CMP-13", "SGE-02"),
	.defects = VB_LIST("LEN-07", "LEN-10", "LEN-12"),
	.kills = VB_LIST("R02"), .run = run);
