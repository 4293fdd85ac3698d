// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An unsignaled send that fails is told all the same, and unsignaled ones
 * behind it are flushed with a completion each.  Those before it have
 * succeeded in silence.
 */
#include <verbatim/case.h>

enum { BYTES = 64, GARBAGE = 0xfedcba98 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_wr *recvs[2], *good[2], *bad, *behind[3];

	for (unsigned i = 0; i < 2; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < 2; i++)
		good[i] = vb_post_send(p->a, .len = BYTES, .unsignaled = true);
	bad = vb_post_send(p->a, .len = BYTES, .lkey = VB_SET(GARBAGE),
			   .unsignaled = true);
	for (unsigned i = 0; i < 3; i++)
		behind[i] =
			vb_post_send(p->a, .len = BYTES, .unsignaled = i != 1);
	vb_expect_scenario(t, "S07", bad, NULL);
	for (unsigned i = 0; i < 2; i++)
		vb_expect_message(good[i], recvs[i]);
	for (unsigned i = 0; i < 3; i++)
		vb_expect_wc(behind[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_settled(p);
}

VB_CASE(signal_unsignaled_error, .id = "signal/unsignaled-error",
	.title = "an unsignaled send that fails is told",
	.spec = "InfiniBand: unsignaled completions; ibv_post_send(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CMP-05", "CMP-25", "CMP-27", "WCS-04"),
	.defects = VB_LIST("FLUSH-01", "FLUSH-10"), .run = run);
