// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RESET to RESET and ERR to ERR are accepted and do nothing new: no flush
 * comes a second time, and the QP can be brought up as if it had not happened.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 10 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_wr *recv = vb_post_recv(p->a, .len = 64);

	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	vb_modify(p->a, IBV_QPS_RESET);
	vb_modify(p->a, IBV_QPS_RESET);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	vb_reconnect(p);
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_same_state, .id = "state/same-state",
	.title = "RESET to RESET and ERR to ERR change nothing",
	.spec = "Linux: the QP state table", .needs = VB_NEED_RC,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-25", "QPS-17", "TDN-06"),
	.defects = VB_LIST("FLUSH-08"), .run = run);
