// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The first step between two ends: one datagram there and one back.  It needs
 * the least of all, and what it shows is that addresses and ports are right.
 *
 * It does not prove that RC works: that needs PSNs, acknowledgements and an
 * agreed path MTU besides.
 */
#include <verbatim/case.h>

enum { PINGS = 8, BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);

	for (unsigned i = 0; i < PINGS; i++) {
		struct vb_wr *there = vb_post_recv(p->b, .len = BYTES);
		struct vb_wr *back = vb_post_recv(p->a, .len = BYTES);

		vb_expect_message(vb_post_send(p->a, .len = BYTES - i), there);
		vb_expect_message(vb_post_send(p->b, .len = i), back);
	}
	vb_note(t, "datagrams pass both ways; that alone does not prove RC");
	vb_expect_settled(p);
}

VB_CASE(connect_datagrams_first, .id = "connect/datagrams-first",
	.title = "a datagram there and one back: the first step",
	.spec = "ibv_create_ah(3)", .needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("CON-15", "UD-01"), .defects = VB_LIST("ADDR-04"),
	.run = run);
