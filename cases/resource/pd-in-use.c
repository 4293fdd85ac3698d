// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A PD cannot be deallocated while a QP or an MR is in it, and the refusal
 * harms nobody: the QP and the MR go on carrying messages.
 *
 * The QP goes first, then the MR alone keeps the PD, then it can go.
 */
#include <verbatim/case.h>

enum { BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_object *mr = vb_create_mr(pd, .len = BYTES);
	struct vb_qp *qp = vb_create_qp(vb_a(t), .pd = pd, .depth = 2);
	struct vb_qp *peer = vb_create_qp(vb_b(t), .depth = 2);
	struct vb_pair *p = vb_join(qp, peer);
	struct vb_wr *recv, *send;

	vb_destroy_refused(pd);
	recv = vb_post_recv(peer, .len = BYTES);
	send = vb_post_send(qp, .len = BYTES, .mr = mr);
	vb_expect_message(send, recv);
	vb_expect_settled(p);
	vb_destroy_qp(qp);
	vb_destroy_refused(pd);
	vb_destroy(mr);
	vb_destroy(pd);
}

VB_CASE(resource_pd_in_use, .id = "resource/pd-in-use",
	.title = "a PD with a QP or an MR in it is not deallocated",
	.spec = "ibv_dealloc_pd(3): fails while resources refer to the PD",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PD-01", "DST-11", "RES-01"),
	.defects = VB_LIST("KEY-02", "PD-05"), .run = run);
