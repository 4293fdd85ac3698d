// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * While an event of it is not acknowledged, destroying a CQ waits; once it is,
 * it comes to its end.
 */
#include <verbatim/case.h>

enum { BYTES = 16, EARLY_MS = 30 };

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_a(t));
	struct vb_object *cq =
		vb_create_cq(vb_a(t), .channel = channel, .manual = true);
	struct vb_qp *qp =
		vb_create_qp(vb_a(t), .depth = 2, .send_cq = cq, .recv_cq = cq);
	struct vb_wr *recv;

	vb_modify(qp, IBV_QPS_INIT);
	recv = vb_post_recv(qp, .len = BYTES);
	vb_arm(cq, false);
	vb_modify(qp, IBV_QPS_ERR);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
	vb_expect_cq_event(cq);
	vb_destroy_qp(qp);
	vb_expect_destroy_waits(cq, EARLY_MS);
	vb_destroy(channel);
}

VB_CASE(cq_unacknowledged, .id = "cq/unacknowledged",
	.title = "a CQ waits for the acknowledgement of its events to go",
	.spec = "ibv_ack_cq_events(3)", .needs = VB_NEED_RC | VB_NEED_EVENT,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ, .rules = VB_LIST("CQ-10"),
	.defects = VB_LIST("EVT-02"), .run = run);
