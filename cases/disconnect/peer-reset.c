// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The peer is reset in the middle of a burst: the sender's requests end within
 * the time of the retries, the peer's receives are gone without a word, and
 * both QPs work when they are connected again.
 */
#include <verbatim/case.h>

enum { COUNT = 16, BYTES = 20000 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT + 1,
				       .attr_a = { .timeout = VB_SET(11),
						   .retry = VB_SET(2) });
	struct vb_wr *sends[COUNT], *after;

	for (unsigned i = 0; i < COUNT; i++)
		vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_modify(p->b, IBV_QPS_RESET);
	after = vb_post_send(p->a, .len = 1);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
				   IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc_among(after, IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_state(p->b, IBV_QPS_RESET);
	vb_expect_settled(p);
	vb_modify(p->a, IBV_QPS_RESET);
	vb_join(p->a, p->b);
	vb_stream(p, .messages = 32, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(disconnect_peer_reset, .id = "disconnect/peer-reset",
	.title = "a peer reset in mid-traffic leaves nothing hanging",
	.spec = "ibv_modify_qp(3); InfiniBand: transport retries",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("TDN-02", "TDN-04", "QPS-13", "QPS-14", "WCS-12"),
	.defects = VB_LIST("DISC-05", "DISC-07", "PSN-04", "WRID-09"),
	.kills = VB_LIST("M33"), .run = run);
