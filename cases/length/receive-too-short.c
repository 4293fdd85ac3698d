// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A SEND one byte too long for the receive it meets fails on both sides and
 * writes nothing past the buffer, be it of one packet or of several, into one
 * piece or into many.
 *
 * What waits behind the failure on all four queues comes back flushed, once
 * each, in order.
 */
#include <verbatim/case.h>

enum { REST = 3 };

static void too_long(struct vb_test *t, uint32_t room, uint32_t sges)
{
	struct vb_pair *p = vb_connect(t, .depth = REST + 2, .sges = sges);
	struct vb_wr *fits, *small, *spare[REST], *own[REST];
	struct vb_wr *before, *large, *later[REST];

	fits = vb_post_recv(p->b, .len = room);
	small = vb_post_recv(p->b, .len = room, .sges = sges);
	for (unsigned i = 0; i < REST; i++) {
		spare[i] = vb_post_recv(p->b, .len = room + 1);
		own[i] = vb_post_recv(p->a, .len = room);
	}
	before = vb_post_send(p->a, .len = room);
	large = vb_post_send(p->a, .len = room + 1);
	for (unsigned i = 0; i < REST; i++)
		later[i] =
			vb_post_send(p->a, .len = room, .unsignaled = i == 1);
	vb_expect_scenario(t, "S02", large, small);
	vb_expect_message(before, fits);
	for (unsigned i = 0; i < REST; i++) {
		vb_expect_wc(later[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_wc(spare[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_wc(own[i], IBV_WC_WR_FLUSH_ERR);
	}
	vb_expect_guards(p->b);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));

	too_long(t, 64, 1);
	too_long(t, 64, 4);
	too_long(t, mtu, 1);
	too_long(t, 3 * mtu - 1, 1);
	too_long(t, 3 * mtu, 3);
	too_long(t, 65535, 1);
}

VB_CASE(length_receive_too_short, .id = "length/receive-too-short",
	.title = "an oversized SEND fails on both sides, writes nothing extra",
	.spec = "InfiniBand: responder error behaviour; ibv_poll_cq(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 15000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("MSG-04", "WCS-01", "WCS-09", "CMP-25", "CMP-26",
			 "CMP-27", "QPS-22", "NAK-02", "NAK-06"),
	.defects = VB_LIST("LEN-07", "LEN-12", "FLUSH-01", "FLUSH-02"),
	.kills = VB_LIST("M04", "M19", "R02"), .run = run);
