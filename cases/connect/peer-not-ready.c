// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * To a peer in RESET or INIT requests are lost without a trace: the requester
 * ends with RETRY_EXC_ERR, the peer's state and its posted receive are as they
 * were, and once both are connected properly the same two QPs work.
 */
#include <verbatim/case.h>

enum { BYTES = 64 };

static void send_to(struct vb_test *t, enum ibv_qp_state state)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);
	struct vb_wr *recv = NULL, *send;

	if (state == IBV_QPS_INIT) {
		vb_modify(b, IBV_QPS_INIT);
		recv = vb_post_recv(b, .len = BYTES);
	}
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(a, IBV_QPS_RTR);
	/* A PSN that a QP which has not been given one may well hold. */
	vb_modify(a, IBV_QPS_RTS, .timeout = VB_SET(10), .retry = VB_SET(1),
		  .sq_psn = VB_SET(0));
	send = vb_post_send(a, .len = BYTES);
	vb_expect_wc(send, IBV_WC_RETRY_EXC_ERR);
	vb_expect_state(a, IBV_QPS_ERR);
	vb_expect_state(b, state);
	if (recv) {
		vb_expect_pending(recv, 1);
		vb_expect_untouched(recv);
	}
	vb_modify(a, IBV_QPS_RESET);
	vb_modify(b, IBV_QPS_RESET);
	vb_join(a, b);
	vb_stream(p, .messages = 4, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	send_to(t, IBV_QPS_RESET);
	send_to(t, IBV_QPS_INIT);
}

VB_CASE(connect_peer_not_ready, .id = "connect/peer-not-ready",
	.title = "a peer in RESET or INIT drops requests in silence",
	.spec = "InfiniBand: QP states", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-13", "WCS-12", "QPS-14", "QPS-08"),
	.defects = VB_LIST("RETRY-01", "FLUSH-11"), .run = run);
