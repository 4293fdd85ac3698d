// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The peer's QP is destroyed while messages run towards it: each one that was
 * posted ends, done, given up or flushed, within the time of the retries, and
 * one that is posted afterwards is not done.
 */
#include <verbatim/case.h>

enum { COUNT = 16, BYTES = 20000 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT + 1,
				       .attr_a = { .timeout = VB_SET(11),
						   .retry = VB_SET(2) });
	struct vb_wr *sends[COUNT], *after, *own;

	own = vb_post_recv(p->a, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_destroy_qp(p->b);
	after = vb_post_send(p->a, .len = 1);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
				   IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc_among(after, IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(own, IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_all_settled(t);
}

VB_CASE(disconnect_peer_destroyed, .id = "disconnect/peer-destroyed",
	.title = "a peer destroyed in mid-traffic leaves nothing hanging",
	.spec = "InfiniBand: transport retries; ibv_destroy_qp(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-04", "WCS-12", "CMP-25", "CMP-26", "DST-03"),
	.defects = VB_LIST("DISC-01", "DISC-05", "FLUSH-01", "RETRY-10"),
	.run = run);
