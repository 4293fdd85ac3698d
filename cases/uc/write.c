// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * WRITEs of UC: what arrives lies in its place; one that has no right, or
 * reaches past the region, is dropped without a word, and both ends go on.
 */
#include <verbatim/case.h>

enum { ROOM = 6000 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UC, .depth = 8);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_object *closed = vb_create_mr(vb_qp_pd(p->b), .len = ROOM);
	uint32_t lost;

	vb_expect_wc(vb_post_write(p->a, .to = to, .offset = 5, .len = 5900),
		     IBV_WC_SUCCESS);
	lost = vb_expect_memory(to);
	vb_note(t, "%u of 1 WRITE lost", lost);
	vb_expect_wc(vb_post_write(p->a, .to = closed, .len = 8),
		     IBV_WC_SUCCESS);
	vb_expect_wc(
		vb_post_write(p->a, .to = to, .len = 8,
			      .remote = VB_SET(vb_mr_address(to) + ROOM - 7)),
		IBV_WC_SUCCESS);
	vb_let_pass(t, 20);
	vb_expect_memory_part(to, 5905, ROOM - 5905);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
}

VB_CASE(uc_write, .id = "uc/write",
	.title = "a WRITE of UC that is refused is dropped without a word",
	.spec = "ibv_post_send(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_UC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("UC-04", "MR-05", "RMA-12"), .run = run);
