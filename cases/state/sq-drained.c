// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Who asks for it with en_sqd_async_notify is told when the send queue has
 * drained: at once when nothing is under way, and not before a send has ended
 * that waits for its peer's receive.  What is posted meanwhile does not begin,
 * then or later, before the queue pair is back in RTS.  Devices may do without
 * this state.
 */
#include <verbatim/case.h>

enum { BYTES = 128, TIMER = 14, QUIET_MS = 20 };

static bool drain(struct vb_qp *qp)
{
	return vb_try_modify(qp, IBV_QPS_SQD, .en_sqd_notify = VB_SET(1));
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 2,
		.attr = { .timeout = VB_SET(20), .rnr_retry = VB_SET(7) },
		.attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	struct vb_wr *send, *recv, *held, *next;

	if (!drain(p->a))
		vb_skip(t, "the device does not take a QP from RTS to SQD");
	vb_expect_event(p->a, IBV_EVENT_SQ_DRAINED);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, !vb_draining(p->a),
		 "sq_draining reads 1 after SQ_DRAINED");
	vb_modify(p->a, IBV_QPS_RTS);
	/* It is under way: the peer has refused it once at least. */
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_pending(send, QUIET_MS / 2);
	drain(p->a);
	held = vb_post_send(p->a, .len = BYTES);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	vb_expect_pending(send, 0);
	/* Several drivers never set it. */
	if (!vb_draining(p->a))
		vb_note(t, "sq_draining reads 0 while a send that had begun "
			   "has not ended");
	recv = vb_post_recv(p->b, .len = BYTES);
	next = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(send, recv);
	vb_expect_event(p->a, IBV_EVENT_SQ_DRAINED);
	vb_expect_pending(held, QUIET_MS);
	vb_expect_pending(next, 0);
	vb_modify(p->a, IBV_QPS_RTS);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_expect_message(held, next);
	vb_expect_settled(p);
}

VB_CASE(state_sq_drained, .id = "state/sq-drained",
	.title = "SQ_DRAINED comes when the send queue has drained",
	.spec = "ibv_modify_qp(3): en_sqd_async_notify",
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("QPS-19", "QPS-18", "AEV-08"),
	.defects = VB_LIST("QPSM-17"), .kills = VB_LIST("D56", "M44"),
	.run = run);
