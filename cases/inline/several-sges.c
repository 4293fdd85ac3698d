// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An inline send takes all of its entries, in order and each at its place:
 * uneven lengths, entries of no bytes, a first entry that is all.
 */
#include <verbatim/case.h>

enum { ASKED = 96 };

static void run(struct vb_test *t)
{
	const struct vb_layout shapes[] = {
		VB_LAYOUT(1, 95),	  VB_LAYOUT(95, 1),
		VB_LAYOUT(32, 32, 32),	  VB_LAYOUT(0, 50, 46),
		VB_LAYOUT(50, 0, 46),	  VB_LAYOUT(50, 46, 0),
		VB_LAYOUT(7, 11, 13, 17), VB_LAYOUT(1, 1, 1, 1),
		VB_LAYOUT(0, 0, 0, 96),	  VB_LAYOUT(0, 0),
	};
	enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };
	struct vb_pair *p =
		vb_connect(t, .depth = SHAPES, .sges = 4, .inline_max = ASKED);
	struct vb_wr *recvs[SHAPES], *sends[SHAPES];

	for (unsigned i = 0; i < SHAPES; i++)
		recvs[i] = vb_post_recv(p->b, .len = ASKED);
	for (unsigned i = 0; i < SHAPES; i++)
		sends[i] = vb_post_send(p->a, .layout = shapes[i],
					.inlined = true, .scribble = true);
	for (unsigned i = 0; i < SHAPES; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_settled(p);
}

VB_CASE(inline_several_sges, .id = "inline/several-sges",
	.title = "an inline send of several entries carries all of them",
	.spec = "ibv_post_send(3): IBV_SEND_INLINE, sg_list",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PST-07", "SGE-01", "SGE-04"),
	.defects = VB_LIST("INL-01", "INL-02", "INL-10", "LEN-06"),
	.kills = VB_LIST("M01"), .run = run);
