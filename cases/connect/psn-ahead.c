// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A requester whose PSN is ahead of what the responder expects gets nothing
 * delivered: the request ends with RETRY_EXC_ERR, the receive stays posted and
 * its buffer untouched, the responder stays in RTS.
 */
#include <verbatim/case.h>

enum { PSN = 0x400000, AHEAD = 5, BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4,
			   .attr_a = { .sq_psn = VB_SET(PSN + AHEAD),
				       .timeout = VB_SET(10),
				       .retry = VB_SET(1) },
			   .attr_b = { .rq_psn = VB_SET(PSN) });
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);
	struct vb_wr *later = vb_post_send(p->a, .len = BYTES);

	vb_expect_scenario(t, "S27", send, NULL);
	vb_expect_wc(later, IBV_WC_WR_FLUSH_ERR);
	vb_expect_pending(recv, 1);
	vb_expect_untouched(recv);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
}

VB_CASE(connect_psn_ahead, .id = "connect/psn-ahead",
	.title = "a PSN ahead of the peer's delivers nothing",
	.spec = "InfiniBand: sequence errors; ibv_modify_qp(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-02", "WCS-12", "NAK-01", "QPS-22", "CMP-25"),
	.defects = VB_LIST("RETRY-01"), .run = run);
