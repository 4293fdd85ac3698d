// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Inline data are read by the caller's processor: the lkey is not looked at.
 * The very same request without the flag is a local error.
 */
#include <verbatim/case.h>

enum { ASKED = 64, GARBAGE = 0xfedcba98 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .inline_max = ASKED);
	struct vb_wr *recv, *send, *wrong;

	for (uint32_t len = 0; len <= ASKED; len += 16) {
		recv = vb_post_recv(p->b, .len = ASKED);
		send = vb_post_send(p->a, .len = len, .inlined = true,
				    .lkey = VB_SET(GARBAGE), .scribble = true);
		vb_expect_message(send, recv);
	}
	wrong = vb_post_send(p->a, .len = ASKED, .lkey = VB_SET(GARBAGE));
	vb_expect_scenario(t, "S07", wrong, NULL);
	vb_expect_settled(p);
}

VB_CASE(inline_no_lkey, .id = "inline/no-lkey",
	.title = "an inline send does not look at the lkey",
	.spec = "ibv_post_send(3): IBV_SEND_INLINE", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("MR-20", "PST-07", "WCS-04"),
	.defects = VB_LIST("INL-01", "MR-11"), .run = run);
