// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ cannot be destroyed while a QP reports to it, be it with its sends or
 * with its receives, and it goes on serving that QP after the refusal.
 */
#include <verbatim/case.h>

enum { BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_object *sends = vb_create_cq(vb_a(t), .cqe = VB_SET(16));
	struct vb_object *recvs = vb_create_cq(vb_a(t), .cqe = VB_SET(16));
	struct vb_qp *qp = vb_create_qp(vb_a(t), .send_cq = sends,
					.recv_cq = recvs, .depth = 2);
	struct vb_qp *peer = vb_create_qp(vb_b(t), .depth = 2);
	struct vb_pair *p = vb_join(qp, peer);
	struct vb_wr *there, *back, *send, *answer;

	vb_destroy_refused(sends);
	vb_destroy_refused(recvs);
	there = vb_post_recv(peer, .len = BYTES);
	back = vb_post_recv(qp, .len = BYTES);
	send = vb_post_send(qp, .len = BYTES);
	answer = vb_post_send(peer, .len = BYTES);
	vb_destroy_refused(sends);
	vb_destroy_refused(recvs);
	vb_expect_message(send, there);
	vb_expect_message(answer, back);
	vb_expect_settled(p);
	vb_destroy_qp(qp);
	vb_destroy(sends);
	vb_destroy(recvs);
}

VB_CASE(resource_cq_in_use, .id = "resource/cq-in-use",
	.title = "a CQ that a QP reports to is not destroyed",
	.spec = "ibv_destroy_cq(3): fails while a QP is associated with it",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("DST-01", "DST-11", "RES-01"),
	.defects = VB_LIST("DISC-08"), .run = run);
