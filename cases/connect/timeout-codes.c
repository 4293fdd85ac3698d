// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each code of timeout, towards a queue pair that is destroyed, all at once:
 * given up no earlier than the code says.  The long ones, of minutes and
 * hours, are looked at for as long as the others take; they wait still, and end
 * when they are told to.
 */
#include <verbatim/case.h>

enum { CODES = 32, AWAITED = 16, BYTES = 100 };

static void in_time(struct vb_test *t, unsigned code, struct vb_wr *wr)
{
	uint64_t least = vb_ack_timeout_ns((uint8_t)code) / 1000;
	uint64_t took = vb_took_ns(wr) / 1000;

	vb_check(t, VB_FIND_WRONG_TIMING, took >= least,
		 "timeout code %u, one retry: given up after %llu us, it must "
		 "take %llu us at least",
		 code, (unsigned long long)took, (unsigned long long)least);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p[CODES];
	struct vb_wr *wrs[CODES];

	for (unsigned i = 1; i < CODES; i++) {
		p[i] = vb_connect(t, .depth = 2, .cq = VB_CQ_SHARED,
				  .attr_a = { .timeout = VB_SET(i),
					      .retry = VB_SET(1) });
		vb_destroy_qp(p[i]->b);
	}
	for (unsigned i = 1; i < CODES; i++)
		wrs[i] = vb_post_send(p[i]->a, .len = BYTES);
	for (unsigned i = 1; i <= AWAITED; i++) {
		vb_expect_wc(wrs[i], IBV_WC_RETRY_EXC_ERR);
		in_time(t, i, wrs[i]);
	}
	for (unsigned i = AWAITED + 1; i < CODES; i++) {
		if (vb_completed(wrs[i]))
			in_time(t, i, wrs[i]);
		vb_modify(p[i]->a, IBV_QPS_ERR);
		vb_expect_wc_among(wrs[i], IBV_WC_WR_FLUSH_ERR,
				   IBV_WC_RETRY_EXC_ERR);
	}
	vb_expect_all_settled(t);
}

VB_CASE(connect_timeout_codes, .id = "connect/timeout-codes",
	.title = "no code of timeout is waited for too short a time",
	.spec = "ibv_modify_qp(3): timeout", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 15000,
	.rules = VB_LIST("CON-05", "CON-06", "WCS-12"),
	.defects = VB_LIST("RETRY-13", "RETRY-01"), .kills = VB_LIST("D25"),
	.run = run);
