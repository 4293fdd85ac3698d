// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive into memory that it may use, with an lkey of which one bit is
 * wrong, is an error when a message comes for it, and nothing is written.
 *
 * The message before arrives, the sender of the one that meets it learns of a
 * remote error, both QPs go to ERR, and the rest is flushed in order.
 */
#include <verbatim/case.h>

enum { BYTES = 64, REST = 2 };

static void wrong_by(struct vb_test *t, uint32_t bit)
{
	struct vb_object *pd = vb_create_pd(vb_b(t));
	struct vb_object *mr = vb_create_mr(pd, .len = BYTES);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 8);
	struct vb_qp *b = vb_create_qp(vb_b(t), .pd = pd, .depth = 8);
	struct vb_pair *p = vb_join(a, b);
	struct vb_wr *first, *bad, *spare[REST], *good, *failing, *later[REST];

	first = vb_post_recv(b, .len = BYTES);
	bad = vb_post_recv(b, .len = BYTES, .mr = mr,
			   .lkey = VB_SET(vb_mr_lkey(mr) ^ bit));
	for (unsigned i = 0; i < REST; i++)
		spare[i] = vb_post_recv(b, .len = BYTES);
	good = vb_post_send(a, .len = BYTES);
	failing = vb_post_send(a, .len = BYTES);
	for (unsigned i = 0; i < REST; i++)
		later[i] = vb_post_send(a, .len = BYTES);
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

static void run(struct vb_test *t)
{
	wrong_by(t, 1 << 0);
	wrong_by(t, 1 << 7);
	wrong_by(t, 1u << 31);
}

VB_CASE(local_recv_bad_lkey, .id = "local/recv-bad-lkey",
	.title = "a receive with a wrong lkey fails on both sides",
	.spec = "ibv_post_recv(3), ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("WCS-04", "WCS-11", "MR-11", "CMP-26", "NAK-04"),
	.defects = VB_LIST("MR-11", "FLUSH-20", "WRID-01"),
	.kills = VB_LIST("M19"), .run = run);
