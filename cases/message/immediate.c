// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Immediate data arrive with their message, in the byte order they were given
 * in, and with it alone: a SEND without them says so in its completion.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	static const uint32_t values[] = { 0,	       1,	   0x12345678,
					   0xdeadbeef, 0x80000000, 0xffffffff };
	enum { VALUES = sizeof(values) / sizeof(values[0]) };
	uint32_t mtu = vb_mtu(vb_a(t));
	struct vb_pair *p = vb_connect(t, .depth = 2 * VALUES);
	struct vb_wr *recvs[2 * VALUES], *sends[2 * VALUES];

	for (unsigned i = 0; i < 2 * VALUES; i++)
		recvs[i] = vb_post_recv(p->b, .len = 4 * mtu);
	for (unsigned i = 0; i < VALUES; i++) {
		/* Of no bytes, of one packet, of several. */
		sends[2 * i] = vb_post_send(p->a, .len = i % 3 * (mtu + 1),
					    .imm = VB_SET(values[i]));
		sends[2 * i + 1] = vb_post_send(p->a, .len = i % 3 * mtu);
	}
	for (unsigned i = 0; i < 2 * VALUES; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_stream(p, .messages = 64, .imm = true, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(message_immediate, .id = "message/immediate",
	.title = "immediate data arrive with their message and with no other",
	.spec = "ibv_post_send(3): IBV_WR_SEND_WITH_IMM; ibv_poll_cq(3)",
	.needs = VB_NEED_RC | VB_NEED_IMM, .limit_ms = 15000,
	.rules = VB_LIST("CMP-16", "CMP-12", "MSG-05"),
	.defects = VB_LIST("IMM-01", "IMM-02", "LEN-13"),
	.kills = VB_LIST("R04"), .run = run);
