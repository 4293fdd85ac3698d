// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receiver that is not ready has spoken: while its RNR timer runs, an ACK
 * timeout that is much shorter neither sends the message again before its time
 * nor gives it up.
 *
 * A responder that is slower than that timeout lets the message be sent twice,
 * and may refuse it twice, before the requester knows of either: seldom, where a
 * device that cuts the timer short does so each time.
 */
#include <verbatim/case.h>

enum { RNR_TIMER = 24, TIMEOUT = 9, RETRIES = 1, BYTES = 100, TRIES = 5 };

static struct vb_pair *pair(struct vb_test *t)
{
	return vb_connect(t, .depth = 2,
			  .attr_a = { .timeout = VB_SET(TIMEOUT),
				      .retry = VB_SET(7),
				      .rnr_retry = VB_SET(RETRIES) },
			  .attr_b = { .min_rnr_timer = VB_SET(RNR_TIMER) });
}

/* How long it takes until the message is given up, in microseconds. */
static uint64_t given_up_us(struct vb_test *t)
{
	struct vb_pair *p = pair(t);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_expect_scenario(t, "S03", send, NULL);
	vb_expect_settled(p);
	return vb_took_ns(send) / 1000;
}

static void run(struct vb_test *t)
{
	uint64_t least = RETRIES * vb_rnr_timer_ns(RNR_TIMER) / 1000, took = 0;

	for (unsigned i = 0; i < TRIES && took < least; i++)
		took = given_up_us(t);
	vb_check(t, VB_FIND_WRONG_TIMING, took >= least,
		 "given up after %llu us, %d retry of min_rnr_timer %d takes "
		 "%llu us: the ACK timeout of %llu us has sent it again",
		 (unsigned long long)took, RETRIES, RNR_TIMER,
		 (unsigned long long)least,
		 (unsigned long long)vb_ack_timeout_ns(TIMEOUT) / 1000);
}

VB_CASE(rnr_longer_than_timeout, .id = "rnr/longer-than-timeout",
	.title = "an ACK timeout does not cut an RNR timer short",
	.spec = "InfiniBand: RNR NAK; ibv_modify_qp(3): timeout",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 10000, .rules = VB_LIST("RNR-01", "RNR-04", "CON-09"),
	.defects = VB_LIST("RNR-01", "RNR-11"), .run = run);
