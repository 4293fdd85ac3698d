// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives of a QP that never saw a message are flushed in order when it goes
 * to ERR, from INIT, RTR and RTS alike, and their buffers are untouched.
 */
#include <verbatim/case.h>

enum { COUNT = 6, BYTES = 256 };

static void flush_in(struct vb_test *t, enum ibv_qp_state state)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .state = state);
	struct vb_wr *recvs[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	vb_expect_pending(recvs[0], 1);
	vb_modify(p->b, IBV_QPS_ERR);
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_untouched(recvs[i]);
	}
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	flush_in(t, IBV_QPS_INIT);
	flush_in(t, IBV_QPS_RTR);
	flush_in(t, IBV_QPS_RTS);
}

VB_CASE(flush_idle_receives, .id = "flush/idle-receives",
	.title = "posted receives are flushed in order from every state",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states, Error",
	.needs = VB_NEED_RC, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-02", "QPS-11", "QPS-15", "CMP-26"),
	.defects = VB_LIST("FLUSH-16", "FLUSH-20"), .run = run);
