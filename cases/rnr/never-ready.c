// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * With no receive at all and a finite rnr_retry the message ends with
 * RNR_RETRY_EXC_ERR, not before the retries times the responder's timer; the
 * requester is in ERR and flushes the rest in order.  The responder is as it
 * was, and works with a requester that comes again.
 */
#include <verbatim/case.h>

enum { TIMER = 14, RETRIES = 3, REST = 3, BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 8, .attr = { .timeout = VB_SET(18) },
			   .attr_a = { .rnr_retry = VB_SET(RETRIES) },
			   .attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	uint64_t least = RETRIES * vb_rnr_timer_ns(TIMER);
	struct vb_wr *send, *rest[REST], *own;

	own = vb_post_recv(p->a, .len = BYTES);
	send = vb_post_send(p->a, .len = BYTES);
	for (unsigned i = 0; i < REST; i++)
		rest[i] =
			vb_post_send(p->a, .len = BYTES, .unsignaled = i == 1);
	vb_expect_scenario(t, "S03", send, NULL);
	vb_check(t, VB_FIND_WRONG_TIMING, vb_took_ns(send) >= least,
		 "given up after %llu us, %d retries take %llu us",
		 (unsigned long long)vb_took_ns(send) / 1000, RETRIES,
		 (unsigned long long)least / 1000);
	for (unsigned i = 0; i < REST; i++)
		vb_expect_wc(rest[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(own, IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
	vb_reconnect(p);
	vb_stream(p, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(rnr_never_ready, .id = "rnr/never-ready",
	.title = "a receive queue that stays empty ends in RNR_RETRY_EXC_ERR",
	.spec = "InfiniBand: RNR NAK; ibv_modify_qp(3): rnr_retry",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("RNR-02", "RNR-05", "WCS-13", "CMP-25", "CMP-27",
			 "QPS-22", "CON-09"),
	.defects = VB_LIST("RNR-01", "RNR-07", "FLUSH-01", "WRID-01"),
	.kills = VB_LIST("M19"), .run = run);
