// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A QP can be destroyed in RESET, INIT, RTR, RTS and ERR, with work
 * outstanding on both of its queues, and its CQ and PD can follow at once.
 */
#include <verbatim/case.h>

static void destroy_in(struct vb_test *t, enum ibv_qp_state state)
{
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_object *mr = vb_create_mr(pd, .len = 64);
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(16));
	struct vb_qp *qp = vb_create_qp(vb_a(t), .pd = pd, .send_cq = cq,
					.recv_cq = cq, .depth = 2);
	struct vb_qp *peer = vb_create_qp(vb_b(t), .depth = 2);
	const struct vb_value ever = VB_SET(7), unset = { .set = false };

	vb_introduce(qp, peer);
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS && s <= state;
	     s++) {
		vb_modify(qp, s, .rnr_retry = s == IBV_QPS_RTS ? ever : unset);
		vb_modify(peer, s);
	}
	if (state == IBV_QPS_ERR)
		vb_modify(qp, IBV_QPS_ERR);
	if (state >= IBV_QPS_INIT)
		vb_post_recv(qp, .len = 64, .mr = mr);
	/* The peer has no receive: this one cannot be done. */
	if (state >= IBV_QPS_RTS)
		vb_post_send(qp, .len = 64, .mr = mr);
	vb_destroy_qp(qp);
	vb_destroy(cq);
	vb_destroy(mr);
	vb_destroy(pd);
	vb_destroy_qp(peer);
}

static void run(struct vb_test *t)
{
	destroy_in(t, IBV_QPS_RESET);
	destroy_in(t, IBV_QPS_INIT);
	destroy_in(t, IBV_QPS_RTR);
	destroy_in(t, IBV_QPS_RTS);
	destroy_in(t, IBV_QPS_ERR);
}

VB_CASE(resource_destroy_any_state, .id = "resource/destroy-any-state",
	.title = "a QP is destroyed in any state, with work outstanding",
	.spec = "ibv_destroy_qp(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("DST-03", "DST-05", "DST-09"),
	.defects = VB_LIST("FLUSH-06", "DISC-04", "DISC-08"), .run = run);
