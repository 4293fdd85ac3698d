// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Requests to a QP number that nobody has end with RETRY_EXC_ERR; the QP that
 * would have been meant gets nothing and stays in RTS.
 */
#include <verbatim/case.h>

enum { FLIP = 0x800000, BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_introduce(a, b);
	struct vb_wr *recv, *send;

	vb_modify(a, IBV_QPS_INIT);
	vb_modify(b, IBV_QPS_INIT);
	recv = vb_post_recv(b, .len = BYTES);
	vb_modify(a, IBV_QPS_RTR, .dest_qpn = VB_SET(vb_qp_num(b) ^ FLIP));
	vb_modify(b, IBV_QPS_RTR);
	vb_modify(a, IBV_QPS_RTS, .timeout = VB_SET(10), .retry = VB_SET(1));
	vb_modify(b, IBV_QPS_RTS);
	send = vb_post_send(a, .len = BYTES);
	vb_expect_scenario(t, "S24", send, NULL);
	vb_expect_pending(recv, 1);
	vb_expect_untouched(recv);
	vb_expect_settled(p);
}

VB_CASE(connect_wrong_qpn, .id = "connect/wrong-qpn",
	.title = "requests to a QP number that nobody has are given up",
	.spec = "InfiniBand: transport retries", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-14", "WCS-12", "QPS-22"),
	.defects = VB_LIST("RETRY-01", "ADDR-04"), .run = run);
