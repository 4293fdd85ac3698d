// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rnr_retry is counted for each message anew: many messages in a row, each
 * refused at least once before its receive comes, are more refusals than there
 * are retries, and none is given up.
 *
 * A host that stands still for longer than all retries of one message together
 * may give that one up rightly; then it has taken so long.
 */
#include <verbatim/case.h>

enum { RETRIES = 2, MESSAGES = 6, BYTES = 200 };

/* From 10 ms to 327 ms: each of them twice the one before. */
enum { TIMER_FIRST = 20, TIMER_LAST = 30, TIMER_STEP = 2 };

/* The peer has refused it. */
static void refused(struct vb_test *t, bool counted, uint64_t before,
		    unsigned timer)
{
	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + 1);
	else
		vb_let_pass(t, (unsigned)(vb_rnr_timer_ns(timer) / 2000000));
}

/* False: given up, and not too early. */
static bool message(struct vb_test *t, struct vb_pair *p, unsigned nth,
		    unsigned timer)
{
	uint64_t least = RETRIES * vb_rnr_timer_ns(timer) / 1000, took, before;
	bool counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES + nth), *recv;

	refused(t, counted, before, timer);
	recv = vb_post_recv(p->b, .len = BYTES + MESSAGES);
	if (vb_expect_wc_among(send, IBV_WC_SUCCESS,
			       IBV_WC_RNR_RETRY_EXC_ERR) == IBV_WC_SUCCESS) {
		vb_expect_message(send, recv);
		return true;
	}
	took = vb_took_ns(send) / 1000;
	vb_check(t, VB_FIND_WRONG_TIMING, took >= least,
		 "message %u of %d was given up after %llu us, %d retries of "
		 "its own take %llu us: those of the messages before it were "
		 "counted too",
		 nth + 1, MESSAGES, (unsigned long long)took, RETRIES,
		 (unsigned long long)least);
	return false;
}

static bool through(struct vb_test *t, unsigned timer)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .timeout = VB_SET(20) },
			   .attr_a = { .rnr_retry = VB_SET(RETRIES) },
			   .attr_b = { .min_rnr_timer = VB_SET(timer) });
	bool all = true;

	for (unsigned i = 0; all && i < MESSAGES; i++)
		all = message(t, p, i, timer);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
	return all;
}

static void run(struct vb_test *t)
{
	for (unsigned timer = TIMER_FIRST; timer <= TIMER_LAST;
	     timer += TIMER_STEP) {
		if (through(t, timer))
			return;
		vb_note(t,
			"the host stood still for longer than %d times "
			"min_rnr_timer %u",
			RETRIES, timer);
	}
	vb_broken(t, "in each round the host stood still for all retries of "
		     "one message");
}

VB_CASE(rnr_budget_renewed, .id = "rnr/budget-renewed",
	.title = "each message has all of rnr_retry for itself",
	.spec = "InfiniBand: RNR NAK; ibv_modify_qp(3): rnr_retry",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 20000, .rules = VB_LIST("RNR-03", "RNR-01"),
	.defects = VB_LIST("RNR-11", "RNR-07"), .kills = VB_LIST("D50"),
	.run = run);
