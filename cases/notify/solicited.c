// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Armed for solicited completions, a CQ is silent for all others, and tells of
 * the first that its sender marked.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 10 };

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 8);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 8, .recv_cq = cq);
	struct vb_pair *p = vb_join(a, b);
	struct vb_wr *recv;

	vb_arm(cq, true);
	recv = vb_post_recv(b, .len = 10);
	vb_expect_message(vb_post_send(a, .len = 10), recv);
	vb_expect_no_cq_event(cq, QUIET_MS);
	recv = vb_post_recv(b, .len = 10);
	vb_expect_message(vb_post_send(a, .len = 10, .solicited = true), recv);
	vb_expect_cq_event(cq);
	vb_expect_settled(p);
}

VB_CASE(notify_solicited, .id = "notify/solicited",
	.title = "a CQ armed for solicited completions tells of them alone",
	.spec = "ibv_req_notify_cq(3)", .needs = VB_NEED_RC | VB_NEED_EVENT,
	.limit_ms = 10000, .rules = VB_LIST("CQ-08", "MSG-12"), .run = run);
