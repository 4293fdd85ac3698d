// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A WRITE with immediate that finds no receive waits for one as a SEND does,
 * or is given up; its data may be there before.  An immediate that comes says
 * that they are.
 */
#include <verbatim/case.h>

enum { ROOM = 9000, WAIT_MS = 10 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4, .attr = { .rnr_retry = VB_SET(7) });
	struct vb_pair *hasty =
		vb_connect(t, .depth = 4, .attr = { .rnr_retry = VB_SET(0) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *write, *recv;

	write = vb_post_write(p->a, .to = to, .len = ROOM, .imm = VB_SET(3));
	vb_expect_pending(write, WAIT_MS);
	recv = vb_post_recv(p->b, .len = 0);
	vb_expect_message(write, recv);
	vb_expect_memory(to);
	write = vb_post_write(hasty->a, .to = to, .len = ROOM,
			      .imm = VB_SET(4));
	vb_expect_scenario(t, "S16", write, NULL);
	vb_reconnect(hasty);
	vb_expect_all_settled(t);
}

VB_CASE(write_immediate_not_ready, .id = "write/immediate-not-ready",
	.title = "a WRITE with immediate waits for a receive",
	.spec = "InfiniBand: RNR NAK", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM, .limit_ms = 10000,
	.rules = VB_LIST("MSG-09", "WCS-13", "MSG-08", "CMP-14"),
	.kills = VB_LIST("D10", "D19", "M05", "M07"), .run = run);
