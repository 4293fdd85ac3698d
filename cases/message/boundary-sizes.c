// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages of the sizes at which lengths go wrong, 32 in flight and both ways
 * at once: 0, 1, around the MTU and its multiples, around 64 KiB.  As many
 * receive completions as sends, byte_len equal, in sequence, nothing outside.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));
	const struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 20,
		.bytes = { 0,		1,	     2,		  3,
			   4,		mtu - 4,     mtu - 1,	  mtu,
			   mtu + 1,	mtu + 4,     2 * mtu - 1, 2 * mtu,
			   2 * mtu + 1, 3 * mtu - 1, 3 * mtu,	  5 * mtu + 2,
			   16 * mtu,	65535,	     65536,	  65537 },
	};
	struct vb_pair *p = vb_connect(t, .depth = 32);

	vb_stream(p, .messages = 80, .inflight = 32, .sizes = &sizes,
		  .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(message_boundary_sizes, .id = "message/boundary-sizes",
	.title = "messages around the MTU and its multiples arrive exactly",
	.spec = "ibv_post_send(3), ibv_poll_cq(3)", .needs = VB_NEED_RC,
	.limit_ms = 15000,
	.rules = VB_LIST("MSG-01", "MSG-02", "MSG-05", "MSG-06", "CMP-01",
			 "CMP-11", "CMP-12", "CMP-13"),
	.defects = VB_LIST("LEN-03", "LEN-07", "LEN-12", "PSN-06", "MTU-03"),
	.kills = VB_LIST("R02"), .run = run);
