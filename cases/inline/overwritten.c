// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The buffer of an inline send belongs to the caller as soon as the post
 * returns: it is overwritten at once, and the receiver sees the old content,
 * at every length up to what the QP was given.
 *
 * The peer has no receive yet when the buffers are overwritten, so that the
 * messages cannot have left before.
 */
#include <verbatim/case.h>

enum { ASKED = 128, DEPTH = 16 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .inline_max = ASKED,
				       .attr = { .rnr_retry = VB_SET(7) });
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];

	for (uint32_t first = 0; first <= ASKED; first += DEPTH) {
		unsigned count = 0;

		for (uint32_t len = first; count < DEPTH && len <= ASKED; len++)
			sends[count++] = vb_post_send(p->a, .len = len,
						      .inlined = true,
						      .scribble = true);
		for (unsigned i = 0; i < count; i++)
			recvs[i] = vb_post_recv(p->b, .len = ASKED);
		for (unsigned i = 0; i < count; i++)
			vb_expect_message(sends[i], recvs[i]);
	}
	vb_expect_settled(p);
}

VB_CASE(inline_overwritten, .id = "inline/overwritten",
	.title = "an inline send carries what was there when it was posted",
	.spec = "ibv_post_send(3): IBV_SEND_INLINE", .needs = VB_NEED_RC,
	.limit_ms = 15000, .rules = VB_LIST("PST-07", "RES-19", "MSG-15"),
	.defects = VB_LIST("LEN-06", "DATA-02", "INL-04"), .run = run);
