// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Datagrams both ways: 40 bytes before each, which hold the addresses, the
 * sender's number, the payload unchanged; sizes up to the MTU.
 */
#include <verbatim/case.h>

enum { COUNT = 32 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .type = IBV_QPT_UD, .depth = COUNT, .sges = 3);
	const uint32_t mtu = vb_mtu(vb_a(t));

	for (unsigned i = 0; i < COUNT; i++) {
		struct vb_qp *from = i % 2 ? p->a : p->b;
		struct vb_qp *to = i % 2 ? p->b : p->a;
		uint32_t len = i < 4   ? i
			       : i < 8 ? mtu - (i - 4)
				       : (uint32_t)vb_draw(t, 0, mtu);
		struct vb_wr *recv =
			vb_post_recv(to, .len = len + i % 3, .sges = 1 + i % 3);
		struct vb_wr *send =
			vb_post_send(from, .len = len, .sges = 1 + i % 3);

		vb_expect_message(send, recv);
	}
	vb_expect_settled(p);
}

VB_CASE(ud_ping, .id = "ud/ping",
	.title = "datagrams go both ways, with their header's 40 bytes",
	.spec = "ibv_post_send(3), ibv_poll_cq(3)", .needs = VB_NEED_UD,
	.limit_ms = 10000,
	.rules = VB_LIST("CMP-19", "CMP-18", "UD-01", "UD-02", "CMP-12",
			 "MSG-01"),
	.run = run);
