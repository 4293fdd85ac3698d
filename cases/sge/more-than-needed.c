// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive with more pieces than the message fills: the first ones hold the
 * message, the others keep what was in them.
 */
#include <verbatim/case.h>

enum { PIECE = 64, COUNT = 8 };

static void run(struct vb_test *t)
{
	static const uint32_t bytes[COUNT] = {
		0, 1, 63, 64, 65, 128, 129, 255
	};
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .sges = 4);
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(
			p->b, .layout = VB_LAYOUT(PIECE, PIECE, PIECE, PIECE));
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = bytes[i]);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_settled(p);
}

VB_CASE(sge_more_than_needed, .id = "sge/more-than-needed",
	.title = "pieces of a receive that are not needed stay as they were",
	.spec = "ibv_post_recv(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("SGE-02", "MSG-03", "MR-24"),
	.defects = VB_LIST("SGE-02", "SGE-03"), .kills = VB_LIST("M03"),
	.run = run);
