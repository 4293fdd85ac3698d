// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One access to a region through a pair of its own. */
#include "suite/end/ends.h"

void vb_expect_access_args(struct vb_object *pd, const char *scenario,
			   const struct vb_send_args *args)
{
	struct vb_test *t = pd->end->ends->t;
	struct vb_pair *p = vb_connect(
		t, .depth = 2, .pd_b = pd,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_WRITE |
					     IBV_ACCESS_REMOTE_READ) });
	struct vb_wr *wr = vb_post_send_args(p->a, args);

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	if (scenario)
		vb_expect_scenario(t, scenario, wr, NULL);
	else
		vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_expect_memory(args->to);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}
