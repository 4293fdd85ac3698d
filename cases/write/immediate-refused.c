// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A WRITE with immediate to a wrong key fails at its sender, changes nothing,
 * and brings no immediate to anybody: a receive that it took fails too.
 */
#include <verbatim/case.h>

enum { ROOM = 128, GARBAGE = 0xfedcba98 };

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
}

VB_CASE(write_immediate_refused, .id = "write/immediate-refused",
	.title = "a refused WRITE brings no immediate",
	.spec = "InfiniBand: responder error behaviour", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("WCS-08", "MR-11", "WCS-10"),
	.kills = VB_LIST("M28", "M06"), .run = run);
