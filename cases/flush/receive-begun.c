// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair that goes to ERR in the middle of a message: the receive that
 * was being filled is flushed first, then those behind it, in the order in
 * which they were posted, each once.
 */
#include <verbatim/case.h>

enum { PACKETS = 3, COUNT = 4 };

static void run(struct vb_test *t)
{
	uint32_t bytes = PACKETS * vb_mtu(vb_b(t));
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr = { .timeout = VB_SET(20),
						 .retry = VB_SET(7) });
	struct vb_wr *recvs[COUNT], *send;

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = bytes);
	/* Its last packet never comes. */
	vb_wire_spoil(t, "drop:op=RC_SEND_LAST");
	send = vb_post_send(p->a, .len = bytes);
	while (vb_wire_acted(t, 0) == 0)
		vb_let_pass(t, 1);
	vb_expect_pending(send, 2);
	vb_modify(p->b, IBV_QPS_ERR);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_wc(send, IBV_WC_WR_FLUSH_ERR);
	vb_wire_heal(t);
	vb_expect_settled(p);
}

VB_CASE(flush_receive_begun, .id = "flush/receive-begun",
	.title = "a receive that is being filled is flushed before the others",
	.spec = "InfiniBand: QP states, Error", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_FAULTS, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CMP-26", "QPS-15", "CMP-03", "CMP-01"),
	.defects = VB_LIST("FLUSH-07", "FLUSH-16"), .kills = VB_LIST("D57"),
	.run = run);
