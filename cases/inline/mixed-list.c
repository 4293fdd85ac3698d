// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Inline and other sends alternate in lists and wrap the queue many times:
 * the lengths and bytes of one request do not leak into the next, wherever in
 * the queue it lies.
 */
#include <verbatim/case.h>

enum { ASKED = 60, COUNT = 5, ROUNDS = 20 };

static void run(struct vb_test *t)
{
	const struct vb_send_args sends[COUNT] = {
		{ .len = 60, .inlined = true, .scribble = true },
		{ .len = 3000 },
		{ .len = 1, .inlined = true, .scribble = true },
		{ .len = 0, .inlined = true },
		{ .len = 17, .imm = VB_SET(0xa1b2c3d4) },
	};
	const struct vb_recv_args recvs[COUNT] = {
		{ .len = 100 }, { .len = 3000 }, { .len = 100 },
		{ .len = 100 }, { .len = 100 },
	};
	/* Depth and list have no common divisor. */
	struct vb_pair *p = vb_connect(t, .depth = 7, .inline_max = ASKED);
	struct vb_wr *sent[COUNT], *received[COUNT];

	for (unsigned i = 0; i < ROUNDS; i++) {
		vb_post_recv_list(p->b, COUNT, recvs, COUNT, received);
		vb_post_send_list(p->a, COUNT, sends, COUNT, sent);
		for (unsigned k = 0; k < COUNT; k++)
			vb_expect_message(sent[k], received[k]);
	}
	vb_expect_settled(p);
}

VB_CASE(inline_mixed_list, .id = "inline/mixed-list",
	.title = "inline and other sends mix in lists, anywhere in the queue",
	.spec = "ibv_post_send(3)", .needs = VB_NEED_RC | VB_NEED_IMM,
	.limit_ms = 10000, .rules = VB_LIST("PST-01", "PST-07", "PST-08"),
	.defects = VB_LIST("INL-03", "INL-04", "LEN-02"), .run = run);
