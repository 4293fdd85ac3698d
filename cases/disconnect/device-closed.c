// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The peer destroys what it has, closes its device and ends while messages run
 * towards it: some may have arrived, one waits for a receive, the rest is behind
 * that; and so does one of its own.  Each of them ends, and those for which
 * there was no receive are not done.
 */
#include <verbatim/case.h>

enum { RECEIVES = 8, SENDS = 3 * RECEIVES, BYTES = 20000 };

static struct vb_qp *bring_up(struct vb_end *e, struct vb_peer *peer,
			      unsigned timeout)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = SENDS);

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	vb_modify(qp, IBV_QPS_RTR, .min_rnr_timer = VB_SET(1));
	/* It asks for the receives again for as long as there is a peer. */
	vb_modify(qp, IBV_QPS_RTS, .timeout = VB_SET(timeout),
		  .retry = VB_SET(2), .rnr_retry = VB_SET(7));
	return qp;
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	/* It is closed long before it would give up, however slow its host. */
	struct vb_qp *qp = bring_up(vb_b(t), peer, 21);

	for (unsigned i = 0; i < RECEIVES; i++)
		vb_post_recv(qp, .len = BYTES);
	vb_peer_barrier(peer, "ready");
	/* Nobody waits for it, and there is no receive. */
	vb_post_send(qp, .len = BYTES, .unsignaled = true);
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);
	struct vb_qp *qp = bring_up(vb_a(t), peer, 13);
	struct vb_wr *sends[SENDS];

	vb_peer_barrier(peer, "ready");
	for (unsigned i = 0; i < SENDS; i++)
		sends[i] = vb_post_send(qp, .len = BYTES);
	vb_peer_finish(peer);
	for (unsigned i = 0; i < RECEIVES; i++)
		vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
				   IBV_WC_RETRY_EXC_ERR, IBV_WC_WR_FLUSH_ERR);
	for (unsigned i = RECEIVES; i < SENDS; i++)
		vb_expect_wc_among(sends[i], IBV_WC_RETRY_EXC_ERR,
				   IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(qp, IBV_QPS_ERR);
	vb_expect_qp_settled(qp);
}

VB_CASE(disconnect_device_closed, .id = "disconnect/device-closed",
	.title = "a device closed under traffic leaves nothing hanging at its "
		 "peer",
	.spec = "InfiniBand: transport retries; ibv_close_device(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-04", "DST-10", "DST-03", "WCS-12", "CMP-25"),
	.defects = VB_LIST("DISC-03", "DISC-05", "RETRY-01"),
	.kills = VB_LIST("D42"), .run = run);
