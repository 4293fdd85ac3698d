// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A message of many packets meets a receive of a few bytes, of one whole
 * packet, or without any entry: the same error as for a byte too much, and no
 * byte past the buffer.
 */
#include <verbatim/case.h>

enum { PACKETS = 12 };

static void far_too_long(struct vb_test *t, struct vb_recv_args room)
{
	uint32_t bytes = PACKETS * vb_mtu(vb_a(t)) + 5;
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_wr *small, *spare, *large, *later;

	small = vb_post_recv_args(p->b, &room);
	spare = vb_post_recv(p->b, .len = bytes);
	large = vb_post_send(p->a, .len = bytes);
	later = vb_post_send(p->a, .len = 1);
	vb_expect_scenario(t, "S02", large, small);
	vb_expect_wc(spare, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(later, IBV_WC_WR_FLUSH_ERR);
	vb_expect_guards(p->b);
	vb_expect_untouched(spare);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));

	far_too_long(t, (struct vb_recv_args){ .len = 7 });
	far_too_long(t, (struct vb_recv_args){ .len = mtu });
	far_too_long(t, (struct vb_recv_args){ .len = (PACKETS - 1) * mtu });
	far_too_long(t, (struct vb_recv_args){ .no_sge = true });
}

VB_CASE(length_far_too_long, .id = "length/far-too-long",
	.title = "a message of many packets does not overrun a small receive",
	.spec = "InfiniBand: responder error behaviour", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("MSG-04", "WCS-01", "WCS-09", "CMP-25", "MR-24"),
	.defects = VB_LIST("LEN-07", "LEN-12"), .kills = VB_LIST("M04"),
	.run = run);
