// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Inline data may lie in memory that no region covers, with a key that is no
 * more; in one entry or several, at every length.
 */
#include <verbatim/case.h>

enum { ASKED = 64, STEP = 7 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4, .sges = 3, .inline_max = ASKED);
	struct vb_object *gone = vb_create_mr(vb_qp_pd(p->a), .len = ASKED);

	vb_destroy(gone);
	for (uint32_t len = 0; len <= ASKED; len += STEP) {
		struct vb_wr *recv = vb_post_recv(p->b, .len = ASKED);
		struct vb_wr *send = vb_post_send(p->a, .len = len, .mr = gone,
						  .sges = 1 + len % 3,
						  .inlined = true,
						  .scribble = true);

		vb_expect_message(send, recv);
	}
	vb_expect_settled(p);
}

VB_CASE(inline_unregistered, .id = "inline/unregistered",
	.title = "inline data may lie in memory that is not registered",
	.spec = "ibv_post_send(3): IBV_SEND_INLINE", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("PST-07", "MR-20"),
	.defects = VB_LIST("INL-01", "MR-11"), .kills = VB_LIST("M01"),
	.run = run);
