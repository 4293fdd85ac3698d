// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The very first packets of both directions cross each other: receives are
 * posted in INIT, and as soon as both QPs are in RTS both send.
 */
#include <verbatim/case.h>

enum { ROUNDS = 8, COUNT = 3 };

static void round_of(struct vb_test *t, uint32_t bytes)
{
	struct vb_pair *p =
		vb_connect(t, .depth = COUNT, .state = IBV_QPS_INIT);
	struct vb_wr *at_a[COUNT], *at_b[COUNT], *by_a[COUNT], *by_b[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		at_a[i] = vb_post_recv(p->a, .len = bytes);
		at_b[i] = vb_post_recv(p->b, .len = bytes);
	}
	for (enum ibv_qp_state s = IBV_QPS_RTR; s <= IBV_QPS_RTS; s++) {
		vb_modify(p->a, s);
		vb_modify(p->b, s);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		by_a[i] = vb_post_send(p->a, .len = bytes);
		by_b[i] = vb_post_send(p->b, .len = bytes);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_message(by_a[i], at_b[i]);
		vb_expect_message(by_b[i], at_a[i]);
	}
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		round_of(t, (uint32_t)vb_draw(t, 0, 3 * vb_mtu(vb_a(t))));
}

VB_CASE(first_both_ways_at_once, .id = "first/both-ways-at-once",
	.title = "the first packets of both directions cross each other",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states", .needs = VB_NEED_RC,
	.limit_ms = 10000,
	.rules = VB_LIST("QPS-11", "MSG-01", "MSG-15", "CMP-13"),
	.defects = VB_LIST("WRID-04", "RNR-11"), .run = run);
