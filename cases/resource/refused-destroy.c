// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Destroying what something refers to is refused, again and again, and the
 * object is as before: it is polled, and what refers to it can be queried.  It
 * takes no connection.
 */
#include <verbatim/case.h>

enum { TIMES = 3, QUIET_MS = 2 };

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_object *sends = vb_create_cq(vb_a(t), .cqe = VB_SET(8));
	struct vb_object *recvs = vb_create_cq(vb_a(t), .cqe = VB_SET(8));
	struct vb_qp *qp = vb_create_qp(vb_a(t), .pd = pd, .send_cq = sends,
					.recv_cq = recvs, .depth = 2);

	for (unsigned i = 0; i < TIMES; i++) {
		vb_destroy_refused(pd);
		vb_destroy_refused(sends);
		vb_expect_quiet(vb_a(t), QUIET_MS);
		vb_destroy_refused(recvs);
		vb_expect_quiet(vb_a(t), QUIET_MS);
		vb_expect_state(qp, IBV_QPS_RESET);
	}
	vb_destroy_qp(qp);
	vb_destroy(sends);
	vb_destroy(recvs);
	vb_destroy(pd);
}

VB_CASE(resource_refused_destroy, .id = "resource/refused-destroy",
	.title = "a refused destroy leaves the object as it was",
	.spec = "ibv_destroy_cq(3), ibv_dealloc_pd(3)", .limit_ms = 10000,
	.rules = VB_LIST("DST-01", "DST-11", "PD-01", "RES-01"),
	.defects = VB_LIST("DISC-08"), .run = run);
