// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive into memory registered in another PD than the QP's is an error
 * when a message comes for it, and the memory is not written.
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
	struct vb_wr *first, *bad, *spare[REST], *good, *failing, *later[REST];

	first = vb_post_recv(p->b, .len = BYTES);
	bad = vb_post_recv(p->b, .len = BYTES, .mr = mr);
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

VB_CASE(local_recv_foreign_pd, .id = "local/recv-foreign-pd",
	.title = "a receive into memory of another PD fails on both sides",
	.spec = "ibv_post_recv(3), ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("PD-05", "WCS-04", "WCS-11", "CMP-26"),
	.defects = VB_LIST("PD-01", "PD-03"), .kills = VB_LIST("M34"),
	.run = run);
