// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whichever way a request is posted: in ERR it is accepted, and flushed.
 */
#include <verbatim/case.h>

enum { COUNT = 5, BYTES = 64 };

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	{
		struct vb_pair *p =
			vb_connect(t, .depth = 2 * COUNT, .path = path);
		struct vb_wr *wrs[COUNT];

		vb_modify(p->a, IBV_QPS_ERR);
		for (unsigned i = 0; i < COUNT; i++)
			wrs[i] = vb_post_send(p->a, .len = BYTES,
					      .unsignaled = i % 2);
		for (unsigned i = 0; i < COUNT; i++)
			vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_settled(p);
	}
}

VB_CASE(flush_each_path, .id = "flush/each-path",
	.title = "what is posted in ERR is flushed, whichever way it is posted",
	.spec = "ibv_post_send(3), ibv_wr_complete(3)", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("QPS-16", "PST-13", "CMP-27"),
	.defects = VB_LIST("FLUSH-04", "FLUSH-09", "FLUSH-12"),
	.kills = VB_LIST("M22", "D21", "D22"), .run = run);
