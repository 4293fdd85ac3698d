// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A SEND that asks to invalidate what cannot be is an error at its receiver,
 * whatever its sender is told: an unknown key, one of a window of type 1.
 * The window works on.
 */
#include <verbatim/case.h>

enum { ROOM = 64, GARBAGE = 0xfedcba98 };

static void attempt(struct vb_test *t, struct vb_object *what)
{
	struct vb_pair *p = vb_connect(t, .depth = 4,
				       .attr = { .timeout = VB_SET(8),
						 .retry = VB_SET(1) });
	struct vb_wr *recv = vb_post_recv(p->b, .len = ROOM), *send;

	if (what)
		send = vb_post_send(p->a, .len = ROOM, .invalidate = what);
	else
		send = vb_post_send(p->a, .len = ROOM,
				    .inv_rkey = VB_SET(GARBAGE));
	vb_expect_scenario(t, "S38", send, recv);
	vb_expect_state(p->b, IBV_QPS_ERR);
	vb_reconnect(p);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_1);

	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = IBV_ACCESS_REMOTE_WRITE),
		     IBV_WC_SUCCESS);
	attempt(t, NULL);
	attempt(t, mw);
	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = ROOM),
		     IBV_WC_SUCCESS);
	vb_expect_memory(mr);
	vb_expect_all_settled(t);
}

VB_CASE(mw_bad_invalidate, .id = "mw/bad-invalidate",
	.title = "a SEND that cannot invalidate is its receiver's error",
	.spec = "InfiniBand: SEND with Invalidate", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_MW | VB_NEED_MW2, .limit_ms = 15000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("MSG-14", "MW-10"), .run = run);
