// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pairs of QPs, with CQs of their own, are made, used and destroyed over and
 * over beside one that lives on: numbers and keys that are used again must not
 * bring anything of the dead back.
 */
#include <verbatim/case.h>

enum { ROUNDS = 16 };

static void run(struct vb_test *t)
{
	struct vb_pair *witness = vb_connect(t, .depth = 4);

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct vb_pair *p = vb_connect(t, .depth = 4);
		struct vb_object *cq_a = vb_qp_send_cq(p->a);
		struct vb_object *cq_b = vb_qp_send_cq(p->b);
		struct vb_qp *a = p->a, *b = p->b;

		vb_stream(p, .messages = 8, .inflight = 4,
			  .direction = VB_BOTH_WAYS);
		/* These two die with their QPs. */
		vb_post_recv(a, .len = 16);
		vb_post_recv(b, .len = 16);
		vb_destroy_qp(a);
		vb_destroy_qp(b);
		vb_destroy(cq_a);
		vb_destroy(cq_b);
		vb_stream(witness, .messages = 2, .inflight = 2,
			  .direction = VB_BOTH_WAYS);
	}
	vb_expect_all_settled(t);
}

VB_CASE(resource_churn, .id = "resource/churn",
	.title = "QPs and CQs made and destroyed many times work each time",
	.spec = "ibv_create_qp(3), ibv_destroy_qp(3)", .needs = VB_NEED_RC,
	.limit_ms = 15000,
	.rules = VB_LIST("DST-03", "DST-04", "RES-14", "TDN-05"),
	.defects = VB_LIST("WRID-04", "WRID-10", "DISC-01", "CQ-16"),
	.kills = VB_LIST("M17"), .run = run);
