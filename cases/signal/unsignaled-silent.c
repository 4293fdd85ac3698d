// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Unsignaled sends that succeed have no completion, not even in a queue that
 * is nearly full; the receiver has one for each.
 */
#include <verbatim/case.h>

enum { DEPTH = 16, QUIET_MS = 5 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_recv(p->b, .len = 100);
	for (unsigned i = 0; i < DEPTH - 1; i++)
		sends[i] =
			vb_post_send(p->a, .len = 100 - i, .unsignaled = true);
	for (unsigned i = 0; i < DEPTH - 1; i++)
		vb_expect_received(recvs[i], 100 - i);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	sends[DEPTH - 1] = vb_post_send(p->a, .len = 0);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_settled(p);
}

VB_CASE(signal_unsignaled_silent, .id = "signal/unsignaled-silent",
	.title = "an unsignaled send that succeeds says nothing",
	.spec = "ibv_post_send(3): IBV_SEND_SIGNALED", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("CMP-04", "CMP-01"),
	.defects = VB_LIST("IMM-12"), .kills = VB_LIST("M09"), .run = run);
