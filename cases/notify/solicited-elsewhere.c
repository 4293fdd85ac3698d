// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The solicited flag means something where a receive completes.  On a WRITE, a
 * READ or an atomic it does nothing: no event, and the operation is as without
 * it.  A SEND behind them raises the event that was armed.
 */
#include <verbatim/case.h>

enum { ROOM = 64, QUIET_MS = 5 };

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 8);
	struct vb_qp *b = vb_create_qp(vb_b(t), .recv_cq = cq, .depth = 8);
	struct vb_pair *p = vb_introduce(a, b);
	struct vb_object *to;
	struct vb_wr *recv;

	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_modify(b, s);
	}
	to = vb_create_target(vb_qp_pd(b), ROOM);
	recv = vb_post_recv(b, .len = ROOM);
	vb_arm(cq, true);
	vb_expect_wc(vb_post_write(a, .to = to, .len = 8, .solicited = true),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(a, .to = to, .len = 8, .solicited = true),
		     IBV_WC_SUCCESS);
	if (vb_atomic_access(vb_qp_pd(b)))
		vb_expect_wc(vb_post_fetch_add(
				     a, .to = to, .add = 1, .solicited = true,
				     .offset = (8 - vb_mr_address(to) % 8) % 8),
			     IBV_WC_SUCCESS);
	vb_expect_no_cq_event(cq, QUIET_MS);
	vb_expect_message(vb_post_send(a, .len = 8, .solicited = true), recv);
	vb_expect_cq_event(cq);
	vb_ack_cq(cq);
	vb_expect_memory(to);
	vb_expect_settled(p);
}

VB_CASE(notify_solicited_elsewhere, .id = "notify/solicited-elsewhere",
	.title = "solicited means nothing where nothing is received",
	.spec = "ibv_post_send(3): IBV_SEND_SOLICITED",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_EVENT, .limit_ms = 10000,
	.rules = VB_LIST("PST-18", "CQ-08"), .run = run);
