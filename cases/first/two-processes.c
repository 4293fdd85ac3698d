// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two processes come to RTS, meet at a barrier, and both send at once, a burst
 * each of messages of all sorts of sizes into receives posted long before.
 */
#include <verbatim/case.h>

enum { COUNT = 32 };

/* The same on both sides: each knows what the other sends. */
static uint32_t bytes_of(uint32_t i)
{
	static const uint32_t sizes[] = { 0, 1, 15, 16, 17, 255, 4097, 20000 };

	return sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];
}

static void burst(struct vb_end *e, struct vb_peer *peer)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = COUNT);
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	for (uint32_t i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(qp, .len = bytes_of(i) + 8);
	vb_modify(qp, IBV_QPS_RTR);
	vb_modify(qp, IBV_QPS_RTS);
	vb_peer_barrier(peer, "both in RTS");
	for (uint32_t i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(qp, .len = bytes_of(i));
	for (uint32_t i = 0; i < COUNT; i++) {
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
		vb_expect_received(recvs[i], bytes_of(i));
	}
	vb_expect_qp_settled(qp);
	vb_peer_barrier(peer, "settled");
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	burst(vb_b(t), peer);
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);

	burst(vb_a(t), peer);
	vb_peer_finish(peer);
}

VB_CASE(first_two_processes, .id = "first/two-processes",
	.title = "two processes send to each other as soon as both are ready",
	.spec = "ibv_modify_qp(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("MSG-01", "MSG-02", "MSG-15", "CMP-13", "CMP-21"),
	.defects = VB_LIST("RNR-11", "WRID-04"), .run = run);
