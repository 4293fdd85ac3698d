// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A send from a bad place fails on a queue pair without answers.  Devices may
 * take that for an error of the send queue alone (SQE), or of the queue pair.
 * Where it is the former, receives go on, what is posted is flushed, and back in
 * RTS the send queue works as before.
 */
#include <verbatim/case.h>

enum { BYTES = 80, DEPTH = 4 };

static void message(struct vb_qp *from, struct vb_qp *to, uint32_t len)
{
	struct vb_wr *recv = vb_post_recv(to, .len = BYTES);

	vb_expect_message(vb_post_send(from, .len = len), recv);
}

static void revive(struct vb_pair *p)
{
	message(p->b, p->a, BYTES);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_WR_FLUSH_ERR);
	vb_modify(p->a, IBV_QPS_RTS);
	for (uint32_t i = 0; i < 2 * DEPTH; i++) {
		message(p->a, p->b, BYTES - i);
		message(p->b, p->a, BYTES - i);
	}
}

static void attempt(struct vb_test *t, enum ibv_qp_type type)
{
	struct vb_pair *p = vb_connect(t, .type = type, .depth = DEPTH);
	struct vb_wr *bad;
	enum ibv_qp_state state;

	message(p->a, p->b, BYTES);
	bad = vb_post_send(p->a, .len = BYTES, .lkey = VB_SET(0x7fffff00));
	vb_expect_scenario(t, "S08", bad, NULL);
	state = vb_state(p->a);
	if (state == IBV_QPS_SQE)
		revive(p);
	else
		vb_note(t, "it is in state %d, not in SQE", state);
	vb_expect_settled(p);
}

static void run_uc(struct vb_test *t)
{
	attempt(t, IBV_QPT_UC);
}

static void run_ud(struct vb_test *t)
{
	attempt(t, IBV_QPT_UD);
}

VB_CASE(state_send_queue_error_uc, .id = "state/send-queue-error-uc",
	.title =
		"UC: from SQE a send queue comes back, and receives never stop",
	.spec = "InfiniBand: QP states, Send Queue Error",
	.dimension = VB_FAULT, .needs = VB_NEED_UC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-21", "WCS-04", "CMP-01"),
	.defects = VB_LIST("POST-06"), .kills = VB_LIST("D89"), .run = run_uc);
VB_CASE(state_send_queue_error_ud, .id = "state/send-queue-error-ud",
	.title =
		"UD: from SQE a send queue comes back, and receives never stop",
	.spec = "InfiniBand: QP states, Send Queue Error",
	.dimension = VB_FAULT, .needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("QPS-21", "WCS-04", "CMP-01"),
	.defects = VB_LIST("POST-06"), .kills = VB_LIST("D89"), .run = run_ud);
