// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two processes exchange QP number, GID, LID, PSN and MTU over a TCP
 * connection, bring their QPs to RTS, wait for each other, and find every
 * attribute set as it was given; then each sends to the other.
 */
#include <verbatim/case.h>

enum { COUNT = 8, BYTES = 5000 };

static struct vb_qp *bring_up(struct vb_end *e, struct vb_peer *peer)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = COUNT);

	vb_peer_exchange(peer, qp);
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		vb_modify(qp, s);
		vb_peer_barrier(peer, "step");
	}
	vb_expect_state(qp, IBV_QPS_RTS);
	vb_expect_attributes(qp);
	return qp;
}

/* Both sides do the same: all receives before the first send of either. */
static void talk(struct vb_end *e, struct vb_peer *peer)
{
	struct vb_qp *qp = bring_up(e, peer);
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	for (uint32_t i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(qp, .len = BYTES);
	vb_peer_barrier(peer, "receives posted");
	for (uint32_t i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(qp, .len = BYTES - 700 * i);
	for (uint32_t i = 0; i < COUNT; i++) {
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
		vb_expect_received(recvs[i], BYTES - 700 * i);
	}
	vb_expect_qp_settled(qp);
	vb_peer_barrier(peer, "settled");
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	talk(vb_b(t), peer);
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);

	talk(vb_a(t), peer);
	vb_peer_finish(peer);
}

VB_CASE(connect_two_processes, .id = "connect/two-processes",
	.title = "two processes connect over TCP and find what they set",
	.spec = "ibv_modify_qp(3), ibv_query_qp(3)", .needs = VB_NEED_RC,
	.limit_ms = 15000,
	.rules = VB_LIST("QPS-09", "CON-02", "MSG-01", "MSG-02"),
	.defects = VB_LIST("ADDR-04", "ADDR-05", "QPSM-03"), .run = run);
