// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive whose lkey is that of a live MR with one bit of its tag wrong is an
 * error when a message comes for it.
 *
 * The message before arrives, the sender of the one that meets it learns of a
 * remote error, both QPs go to ERR, and the rest is flushed in order.
 */
#include <verbatim/case.h>

enum { BYTES = 64, REST = 2 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_object *mr =
		vb_create_mr(vb_create_pd(vb_b(t)), .len = BYTES);
	uint32_t wrong = vb_mr_lkey(mr) ^ 1;
	struct vb_wr *first, *bad, *spare[REST], *good, *failing, *later[REST];

	first = vb_post_recv(p->b, .len = BYTES);
	bad = vb_post_recv(p->b, .len = BYTES, .lkey = VB_SET(wrong));
	for (unsigned i = 0; i < REST; i++)
		spare[i] = vb_post_recv(p->b, .len = BYTES);
	good = vb_post_send(p->a, .len = BYTES);
	failing = vb_post_send(p->a, .len = BYTES);
	for (unsigned i = 0; i < REST; i++)
		later[i] = vb_post_send(p->a, .len = BYTES);
	vb_expect_scenario(t, "S05", failing, bad);
	vb_expect_message(good, first);
	for (unsigned i = 0; i < REST; i++) {
		vb_expect_wc(spare[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_wc(later[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_untouched(spare[i]);
	}
	vb_expect_untouched(bad);
	vb_expect_settled(p);
}

VB_CASE(local_recv_bad_lkey, .id = "local/recv-bad-lkey",
	.title = "a receive with a wrong lkey fails on both sides",
	.spec = "ibv_post_recv(3), ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("WCS-04", "WCS-11", "MR-11", "CMP-26", "NAK-04"),
	.defects = VB_LIST("MR-11", "FLUSH-20", "WRID-01"),
	.kills = VB_LIST("M19"), .run = run);
