// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair listens to the address that it was connected to: with the right
 * numbers from another address, requests are not answered.
 */
#include <verbatim/case.h>

enum { BYTES = 64, LAST = 15 };

static void run(struct vb_test *t)
{
	union ibv_gid wrong = *vb_gid(vb_a(t));
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = 2);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 2);
	struct vb_pair *p = vb_introduce(a, b);
	struct vb_wr *recv, *send;

	wrong.raw[LAST] ^= 2;
	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		if (s != IBV_QPS_RTS)
			vb_modify(a, s);
		else
			vb_modify(a, s, .timeout = VB_SET(10),
				  .retry = VB_SET(1));
	}
	vb_modify(b, IBV_QPS_INIT);
	recv = vb_post_recv(b, .len = BYTES);
	if (!vb_try_modify(b, IBV_QPS_RTR, .dgid = &wrong))
		vb_skip(t, "an address where nobody is cannot be set");
	vb_modify(b, IBV_QPS_RTS);
	send = vb_post_send(a, .len = BYTES);
	vb_expect_scenario(t, "S24", send, NULL);
	vb_expect_pending(recv, 1);
	vb_expect_untouched(recv);
	vb_expect_settled(p);
}

VB_CASE(connect_other_source, .id = "connect/other-source",
	.title = "requests from another address than the peer's are ignored",
	.spec = "InfiniBand: packet validation of connected queue pairs",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-13", "WCS-12"), .defects = VB_LIST("ADDR-04"),
	.run = run);
