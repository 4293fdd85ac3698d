// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In RESET nothing may be posted, in INIT and RTR no send.  A device should
 * refuse; some accept in silence, and then the request must not be executed.
 *
 * Receives posted in INIT are kept, and serve the first messages later.
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 10 };

static void not_executed(struct vb_test *t, struct vb_wr *wr, const char *what,
			 const char *state)
{
	if (!wr)
		return;
	vb_note(t, "a %s was accepted in %s", what, state);
	vb_expect_pending(wr, QUIET_MS);
}

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_wr *kept, *send;
	struct vb_pair *p;

	not_executed(t, vb_try_post_recv(a, .len = BYTES), "receive", "RESET");
	not_executed(t, vb_try_post_send(a, .len = BYTES), "send", "RESET");
	p = vb_introduce(a, b);
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(b, IBV_QPS_INIT);
	not_executed(t, vb_try_post_send(a, .len = BYTES), "send", "INIT");
	vb_modify(a, IBV_QPS_RTR);
	not_executed(t, vb_try_post_send(a, .len = BYTES), "send", "RTR");
	/* What was accepted too early is gone with this. */
	vb_modify(a, IBV_QPS_RESET);
	vb_modify(b, IBV_QPS_RESET);

	p = vb_introduce(a, b);
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(b, IBV_QPS_INIT);
	kept = vb_post_recv(b, .len = BYTES);
	vb_expect_pending(kept, QUIET_MS);
	for (enum ibv_qp_state s = IBV_QPS_RTR; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_modify(b, s);
	}
	send = vb_post_send(a, .len = BYTES);
	vb_expect_message(send, kept);
	vb_expect_settled(p);
}

VB_CASE(state_post_before_ready, .id = "state/post-before-ready",
	.title = "nothing is executed that was posted too early",
	.spec = "rdma-core: the states in which posting is allowed",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-10", "QPS-11", "QPS-12", "PST-13"),
	.defects = VB_LIST("QPSM-10", "QPSM-11", "QPSM-12", "QPSM-13"),
	.run = run);
