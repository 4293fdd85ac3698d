// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A WRITE with immediate to a wrong key, or to a queue pair that was not
 * enabled for WRITEs, fails at its sender, changes nothing, and brings no
 * immediate to anybody: a receive that it took fails too.
 */
#include <verbatim/case.h>

enum { ROOM = 128, GARBAGE = 0xfedcba98 };

/* The region has the right, its queue pair has not. */
static void not_enabled(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 4,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_READ) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *recv = vb_post_recv(p->b, .len = ROOM);

	vb_allow_event(p->b, IBV_EVENT_QP_REQ_ERR);
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_scenario(t, "S17",
			   vb_post_write(p->a, .to = to, .len = ROOM,
					 .imm = VB_SET(9)),
			   NULL);
	vb_expect_wc_among(recv, IBV_WC_WR_FLUSH_ERR, IBV_WC_REM_INV_REQ_ERR,
			   IBV_WC_LOC_QP_OP_ERR, IBV_WC_LOC_ACCESS_ERR);
	vb_expect_untouched(recv);
	vb_expect_memory(to);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *recv = vb_post_recv(p->b, .len = ROOM), *write;

	write = vb_post_write(p->a, .to = to, .len = ROOM, .imm = VB_SET(9),
			      .rkey = VB_SET(GARBAGE));
	vb_expect_scenario(t, "S15", write, recv);
	vb_expect_untouched(recv);
	vb_expect_memory(to);
	vb_reconnect(p);
	vb_expect_settled(p);
	not_enabled(t);
	vb_expect_all_settled(t);
}

VB_CASE(write_immediate_refused, .id = "write/immediate-refused",
	.title = "a refused WRITE brings no immediate",
	.spec = "InfiniBand: responder error behaviour", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("WCS-08", "MR-11", "WCS-10"),
	.kills = VB_LIST("M28", "M06", "M53"), .run = run);
