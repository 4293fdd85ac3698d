// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages of one packet to nine, and of a byte more or less, at the smallest
 * MTU and at the path's own: the first, middle and last packet, and the only
 * one, are told apart by length alone.
 */
#include <verbatim/case.h>

enum { PACKETS = 9, SMALLEST = 256 };

static void multiples(struct vb_test *t, uint32_t mtu)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 32, .attr = { .mtu = VB_SET(mtu) });
	struct vb_sizes sizes = { .kind = VB_SIZES_LIST };

	for (uint32_t i = 1; i <= PACKETS; i++)
		for (uint32_t k = 0; k < 3; k++)
			sizes.bytes[sizes.count++] = i * mtu + k - 1;
	vb_stream(p, .messages = 2 * sizes.count, .inflight = 32,
		  .sizes = &sizes, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	multiples(t, SMALLEST);
	multiples(t, vb_mtu(vb_a(t)));
}

VB_CASE(message_packet_multiples, .id = "message/packet-multiples",
	.title = "messages around each multiple of the MTU arrive exactly",
	.spec = "InfiniBand: packet lengths within a message",
	.needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("MSG-01", "MSG-05", "MSG-06", "CMP-13", "CON-03"),
	.defects = VB_LIST("LEN-03", "PSN-06", "MTU-03"), .run = run);
