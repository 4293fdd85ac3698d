// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A requester that waits for a receiver to be ready waits for its timer, and
 * for nothing else: what is posted behind, and what comes from the peer in the
 * meantime, makes it try again no earlier.  With one retry, and no receive, the
 * message is given up no earlier either.
 */
#include <verbatim/case.h>

enum { TIMER = 26, LATE_MS = 5, BYTES = 100, DEPTH = 4 };

static void attempt(struct vb_test *t, unsigned path)
{
	struct vb_pair *p =
		vb_connect(t, .depth = DEPTH, .path = path,
			   .attr = { .timeout = VB_SET(20) },
			   .attr_a = { .rnr_retry = VB_SET(1) },
			   .attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	uint64_t least = vb_rnr_timer_ns(TIMER), before;
	struct vb_wr *send, *behind;
	bool counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);

	send = vb_post_send(p->a, .len = BYTES);
	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + 1);
	vb_let_pass(t, LATE_MS);
	behind = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(send, IBV_WC_RNR_RETRY_EXC_ERR);
	vb_check(t, VB_FIND_WRONG_TIMING, vb_took_ns(send) >= least,
		 "with a request posted behind it meanwhile, it was tried "
		 "again within %llu us, the timer means %llu us",
		 (unsigned long long)vb_took_ns(send) / 1000,
		 (unsigned long long)least / 1000);
	vb_expect_wc(behind, IBV_WC_WR_FLUSH_ERR);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	attempt(t, VB_PATH_SAID);
	if (vb_device_attr(vb_b(t))->max_srq > 0)
		attempt(t, VB_PATH_SAID | VB_PATH_SRQ);
}

VB_CASE(rnr_post_while_waiting, .id = "rnr/post-while-waiting",
	.title = "nothing but its timer ends the wait for a receiver",
	.spec = "InfiniBand: RNR NAK; ibv_modify_qp(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("RNR-01", "RNR-02", "CON-09", "RNR-07"),
	.defects = VB_LIST("RNR-01", "RNR-05"), .kills = VB_LIST("M45", "M52"),
	.run = run);
