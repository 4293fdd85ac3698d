// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Buffers may begin at any byte.  A first piece of 1 to 63 bytes moves the
 * beginning of the second one to every offset, at the sender, at the receiver,
 * and at both by different amounts.
 */
#include <verbatim/case.h>

enum { BYTES = 1500, STEPS = 63, DEPTH = 3 };

static void shifted(struct vb_pair *p, uint32_t there, uint32_t here)
{
	struct vb_wr *recv, *send;

	recv = vb_post_recv(p->b, .layout = VB_LAYOUT(here, BYTES - here));
	send = vb_post_send(p->a, .layout = VB_LAYOUT(there, BYTES - there));
	vb_expect_message(send, recv);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .sges = 2);

	for (uint32_t i = 1; i <= STEPS; i++) {
		shifted(p, i, 16);
		shifted(p, 16, i);
		shifted(p, i, STEPS + 1 - i);
	}
	vb_expect_settled(p);
}

VB_CASE(content_unaligned, .id = "content/unaligned",
	.title = "buffers at every byte offset carry the right content",
	.spec = "ibv_post_send(3), ibv_post_recv(3)", .needs = VB_NEED_RC,
	.limit_ms = 15000, .rules = VB_LIST("SGE-07", "SGE-03", "MSG-15"),
	.defects = VB_LIST("DATA-04", "DATA-02", "INL-02"), .run = run);
