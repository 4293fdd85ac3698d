// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A request without any entry is a message of no bytes, and a receive without
 * any takes one.  In a list it does not inherit the length of the request
 * before it.
 */
#include <verbatim/case.h>

enum { COUNT = 4 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);
	const struct vb_recv_args recv_args[COUNT] = {
		{ .len = 100 },
		{ .no_sge = true },
		{ .len = 100 },
		{ .no_sge = true },
	};
	/* A length of 0 is sent without an entry. */
	const struct vb_send_args send_args[COUNT] = {
		{ .len = 100 },
		{ .len = 0 },
		{ .len = 0 },
		{ .len = 0, .imm = VB_SET(0x01020304) },
	};
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	vb_post_recv_list(p->b, COUNT, recv_args, COUNT, recvs);
	vb_post_send_list(p->a, COUNT, send_args, COUNT, sends);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	/* The same with one entry, of no bytes. */
	recvs[0] = vb_post_recv(p->b, .layout = VB_LAYOUT(0));
	sends[0] = vb_post_send(p->a, .layout = VB_LAYOUT(0));
	vb_expect_message(sends[0], recvs[0]);
	vb_expect_settled(p);
}

VB_CASE(sge_none, .id = "sge/none",
	.title = "num_sge 0 is a message of no bytes",
	.spec = "ibv_post_send(3), ibv_post_recv(3): num_sge",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PST-15", "MSG-05", "CMP-13"),
	.defects = VB_LIST("LEN-02", "LEN-03", "SGE-10"),
	.kills = VB_LIST("R01"), .run = run);
