// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A connected queue pair says that it is in RTS, after traffic too, and in ERR
 * when it was moved there: whoever watches a connection has nothing else.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);

	vb_expect_told(p->a, IBV_QPS_RTS);
	vb_expect_told(p->b, IBV_QPS_RTS);
	vb_stream(p, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_told(p->a, IBV_QPS_RTS);
	vb_expect_told(p->b, IBV_QPS_RTS);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_told(p->a, IBV_QPS_ERR);
	vb_expect_settled(p);
}

VB_CASE(connect_told_state, .id = "connect/told-state",
	.title = "a query tells the state of a connected queue pair",
	.spec = "ibv_query_qp(3): qp_state", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("QPS-09", "QPS-02"),
	.defects = VB_LIST("QPSM-03"), .run = run);
