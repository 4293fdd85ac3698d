// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The peer's process is killed in the middle of a burst.  Every request of
 * this side ends, and the device is as good as before: a pair made afterwards
 * works.
 */
#include <verbatim/case.h>

enum { COUNT = 16, BYTES = 8000 };

static struct vb_qp *bring_up(struct vb_end *e, struct vb_peer *peer)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = COUNT);

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_RTR);
	vb_modify(qp, IBV_QPS_RTS, .timeout = VB_SET(12), .retry = VB_SET(2));
	return qp;
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	struct vb_qp *qp = bring_up(vb_b(t), peer);

	for (unsigned i = 0; i < COUNT; i++)
		vb_post_recv(qp, .len = BYTES);
	vb_peer_barrier(peer, "ready");
	/* Killed in here. */
	vb_peer_barrier(peer, "never");
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);
	struct vb_qp *qp = bring_up(vb_a(t), peer);
	struct vb_wr *sends[COUNT], *after;
	struct vb_pair *p;

	vb_peer_barrier(peer, "ready");
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(qp, .len = BYTES);
	vb_peer_kill(peer);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
				   IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	after = vb_post_send(qp, .len = 1);
	vb_expect_wc_among(after, IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(qp, IBV_QPS_ERR);
	vb_expect_qp_settled(qp);
	p = vb_connect(t, .depth = COUNT);
	vb_stream(p, .messages = 32, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(disconnect_process_killed, .id = "disconnect/process-killed",
	.title = "a peer whose process is killed leaves nothing hanging",
	.spec = "InfiniBand: transport retries", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("TDN-04", "TDN-07", "WCS-12", "DST-10"),
	.defects = VB_LIST("DISC-03", "DISC-05", "FLUSH-11"), .run = run);
