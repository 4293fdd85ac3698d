// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Connecting, sending, and disconnecting raise no asynchronous event besides
 * "communication established", and afterwards both ends are quiet.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 20 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_qp *a = p->a, *b = p->b;

	vb_stream(p, .messages = 64, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	vb_expect_quiet(vb_b(t), QUIET_MS);
	vb_modify(a, IBV_QPS_ERR);
	vb_modify(b, IBV_QPS_ERR);
	vb_expect_settled(p);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	vb_destroy_qp(a);
	vb_destroy_qp(b);
	vb_expect_quiet(vb_b(t), QUIET_MS);
	vb_expect_all_settled(t);
}

VB_CASE(async_clean_run, .id = "async/clean-run",
	.title = "a clean run raises no asynchronous event",
	.spec = "ibv_get_async_event(3)", .needs = VB_NEED_RC,
	.limit_ms = 10000,
	.rules = VB_LIST("AEV-03", "AEV-04", "AEV-07", "AEV-15", "AEV-16"),
	.defects = VB_LIST("ASYNC-02", "ASYNC-04", "EVT-01"), .run = run);
