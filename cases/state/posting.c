// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What may be posted in which state, for each kind of queue pair: where it may
 * not, a device should refuse; if it does not, nothing is executed.  In ERR
 * sends are flushed (receives: flush/receives-in-error).
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 2 };

static void held(struct vb_test *t, struct vb_wr *wr, const char *what,
		 enum ibv_qp_state state)
{
	if (!wr)
		return;
	vb_note(t, "a %s was accepted in %s", what, vb_state_name(state));
	vb_expect_pending(wr, QUIET_MS);
}

static void in_state(struct vb_test *t, struct vb_qp *qp,
		     enum ibv_qp_state state)
{
	struct vb_wr *wr;

	if (!vb_may_post_recv(state)) {
		held(t, vb_try_post_recv(qp, .len = BYTES), "receive", state);
	} else if (state != IBV_QPS_ERR) {
		wr = vb_post_recv(qp, .len = BYTES);
		vb_expect_pending(wr, QUIET_MS);
	}
	if (!vb_may_post_send(state))
		held(t, vb_try_post_send(qp, .len = BYTES), "send", state);
}

static void run_type(struct vb_test *t, enum ibv_qp_type type)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .type = type, .depth = 8);
	struct vb_qp *b = vb_create_qp(vb_b(t), .type = type, .depth = 8);
	struct vb_wr *send;

	vb_introduce(a, b);
	for (int s = IBV_QPS_RESET; s <= IBV_QPS_RTR; s++) {
		/* From RESET each time: what was accepted is gone with it. */
		vb_modify(a, IBV_QPS_RESET);
		for (int on = IBV_QPS_INIT; on <= s; on++)
			vb_modify(a, (enum ibv_qp_state)on);
		in_state(t, a, (enum ibv_qp_state)s);
	}
	vb_modify(a, IBV_QPS_RESET);
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(a, IBV_QPS_ERR);
	send = vb_post_send(a, .len = BYTES);
	vb_expect_wc(send, IBV_WC_WR_FLUSH_ERR);
	vb_expect_qp_settled(a);
}

static void run_rc(struct vb_test *t)
{
	run_type(t, IBV_QPT_RC);
}

static void run_uc(struct vb_test *t)
{
	run_type(t, IBV_QPT_UC);
}

static void run_ud(struct vb_test *t)
{
	run_type(t, IBV_QPT_UD);
}

VB_CASE(state_posting_rc, .id = "state/posting-rc",
	.title = "RC: what may be posted in which state",
	.spec = "rdma-core: the states in which posting is allowed",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-10", "QPS-11", "QPS-12", "QPS-16"),
	.defects = VB_LIST("QPSM-10", "QPSM-11", "QPSM-12"), .run = run_rc);
VB_CASE(state_posting_uc, .id = "state/posting-uc",
	.title = "UC: what may be posted in which state",
	.spec = "rdma-core: the states in which posting is allowed",
	.needs = VB_NEED_UC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-10", "QPS-11", "QPS-12", "QPS-16"),
	.defects = VB_LIST("QPSM-10", "QPSM-11", "QPSM-12"), .run = run_uc);
VB_CASE(state_posting_ud, .id = "state/posting-ud",
	.title = "UD: what may be posted in which state",
	.spec = "rdma-core: the states in which posting is allowed",
	.needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("QPS-10", "QPS-11", "QPS-12", "QPS-16"),
	.defects = VB_LIST("QPSM-10", "QPSM-11", "QPSM-12"), .run = run_ud);
