// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A WRITE that the queue pair of the peer was not enabled for.  The device of
 * the peer may tell so by an event; if it does, then by that of an invalid
 * request or of an access error, once, of that queue pair, and it is in ERR.
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 10 };

static void run(struct vb_test *t)
{
	struct vb_pair *aside = vb_connect(t, .depth = 4);
	struct vb_pair *p = vb_connect(
		t, .depth = 4,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_READ) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_allow_event(p->b, IBV_EVENT_QP_REQ_ERR);
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_scenario(t, "S17",
			   vb_post_write(p->a, .to = to, .len = BYTES), NULL);
	vb_expect_state(p->b, IBV_QPS_ERR);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
	vb_expect_untouched(recv);
	vb_expect_memory(to);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	vb_stream(aside, .messages = 8, .inflight = 4,
		  .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(async_responder_error, .id = "async/responder-error",
	.title = "a responder that refuses tells so at most by its own event",
	.spec = "ibv_get_async_event(3): QP_REQ_ERR, QP_ACCESS_ERR",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("AEV-05", "NAK-02", "WCS-09"),
	.defects = VB_LIST("ASYNC-02"), .kills = VB_LIST("R08"), .run = run);
