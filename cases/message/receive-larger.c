// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive may be larger than the message: byte_len tells the message, what
 * is left of the buffer keeps what was in it.
 */
#include <verbatim/case.h>

enum { ROOM = 10000, COUNT = 12 };

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));
	const uint32_t bytes[COUNT] = {
		0, 1, 2, 3, 5, 63, 64, 65, mtu - 1, mtu, mtu + 1, ROOM - 1
	};
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = ROOM);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = bytes[i]);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_settled(p);
}

VB_CASE(message_receive_larger, .id = "message/receive-larger",
	.title = "what a message does not fill of its receive stays as it was",
	.spec = "ibv_poll_cq(3): byte_len", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("MSG-03", "MR-24", "CMP-13"),
	.defects = VB_LIST("DATA-01", "LEN-10"), .run = run);
