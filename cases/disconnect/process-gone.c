// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The peer's process closes its device and ends.  This side notices when it
 * sends: RETRY_EXC_ERR, and the rest flushed.
 */
#include <verbatim/case.h>

enum { DEPTH = 8, BYTES = 200 };

static struct vb_qp *bring_up(struct vb_end *e, struct vb_peer *peer)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = DEPTH);

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_RTR);
	/* So much that the other process, while it lives, may be kept waiting
	 * for a processor. */
	vb_modify(qp, IBV_QPS_RTS, .timeout = VB_SET(16), .retry = VB_SET(2));
	return qp;
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	struct vb_qp *qp = bring_up(vb_b(t), peer);
	struct vb_wr *recv = vb_post_recv(qp, .len = BYTES);

	vb_post_recv(qp, .len = BYTES);
	vb_peer_barrier(peer, "ready");
	vb_expect_received(recv, BYTES);
	vb_peer_barrier(peer, "received");
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);
	struct vb_qp *qp = bring_up(vb_a(t), peer);
	struct vb_wr *own = vb_post_recv(qp, .len = BYTES);
	struct vb_wr *send, *later;

	vb_peer_barrier(peer, "ready");
	send = vb_post_send(qp, .len = BYTES);
	vb_expect_wc(send, IBV_WC_SUCCESS);
	vb_peer_barrier(peer, "received");
	vb_peer_finish(peer);
	vb_expect_pending(own, 2);
	vb_expect_state(qp, IBV_QPS_RTS);
	send = vb_post_send(qp, .len = BYTES);
	later = vb_post_send(qp, .len = BYTES, .unsignaled = true);
	vb_expect_wc(send, IBV_WC_RETRY_EXC_ERR);
	vb_expect_wc(later, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(own, IBV_WC_WR_FLUSH_ERR);
	vb_expect_qp_settled(qp);
}

VB_CASE(disconnect_process_gone, .id = "disconnect/process-gone",
	.title = "a peer whose process has ended is given up",
	.spec = "InfiniBand: transport retries; ibv_close_device(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 15000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-04", "TDN-07", "WCS-12", "CMP-25", "CMP-26"),
	.defects = VB_LIST("DISC-03", "RETRY-01", "FLUSH-11"), .run = run);
