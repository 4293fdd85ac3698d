// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Timeout 0 switches the timer off: a request to nobody never completes by
 * itself, and moving the queue pair to ERR flushes it.  It reads back as 0.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 100, BYTES = 100 };

static void run(struct vb_test *t)
{
	/* Without a retry, whatever timer there is shows at its first end. */
	struct vb_pair *p = vb_connect(t, .depth = 2,
				       .attr_a = { .timeout = VB_SET(0),
						   .retry = VB_SET(0) });
	struct vb_wr *send, *recv = vb_post_recv(p->b, .len = BYTES);

	/* Lossless as loopback is, it works without. */
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_message(send, recv);
	vb_expect_attributes(p->a);
	vb_destroy_qp(p->b);
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_pending(send, QUIET_MS);
	vb_expect_state(p->a, IBV_QPS_RTS);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_wc(send, IBV_WC_WR_FLUSH_ERR);
	vb_expect_qp_settled(p->a);
}

VB_CASE(connect_timer_off, .id = "connect/timer-off",
	.title = "timeout 0 waits for ever, and flushes when told to",
	.spec = "ibv_modify_qp(3): timeout", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("CON-05", "RNR-10", "QPS-15"),
	.defects = VB_LIST("RETRY-06"), .kills = VB_LIST("D67"), .run = run);
