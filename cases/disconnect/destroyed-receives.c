// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Once ibv_destroy_qp() has returned, the device writes no more into the
 * buffers of the QP's receives: the peer goes on sending, and they stay as
 * they were.
 */
#include <verbatim/case.h>

enum { COUNT = 4, BYTES = 3000 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr_a = { .timeout = VB_SET(10),
						   .retry = VB_SET(1) });
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	vb_destroy_qp(p->b);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(sends[0], IBV_WC_RETRY_EXC_ERR);
	for (unsigned i = 1; i < COUNT; i++)
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_untouched(recvs[i]);
	vb_expect_all_settled(t);
}

VB_CASE(disconnect_destroyed_receives, .id = "disconnect/destroyed-receives",
	.title = "receives of a destroyed QP are not written",
	.spec = "ibv_destroy_qp(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("DST-04", "DST-05", "WCS-12", "CMP-25"),
	.defects = VB_LIST("DISC-01", "DISC-04", "WRID-09"), .run = run);
