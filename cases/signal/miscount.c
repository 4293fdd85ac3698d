// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The miscount that programs make: one send in N is signaled, and a completion
 * is taken for N sends.  Of a number of sends that is no multiple of N the
 * last ones never complete, though they have arrived; and when the queue pair
 * fails, each send that was not done has a completion, signaled or not.
 */
#include <verbatim/case.h>

enum { EVERY = 4, COUNT = 10, BYTES = 64, QUIET_MS = 5 };

static unsigned count(struct vb_wr **sends)
{
	unsigned completed = 0;

	for (unsigned i = 0; i < COUNT; i++)
		completed += vb_completed(sends[i]);
	return completed;
}

static void post(struct vb_pair *p, struct vb_wr **sends)
{
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES - i,
					.unsignaled = (i + 1) % EVERY != 0);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2 * COUNT,
				       .attr = { .rnr_retry = VB_SET(7) });
	struct vb_wr *recvs[COUNT], *sends[COUNT], *last;
	unsigned completed;

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	post(p, sends);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_quiet(vb_a(t), QUIET_MS);
	completed = count(sends);
	vb_check(t, VB_FIND_WRONG_COUNT, completed == COUNT / EVERY,
		 "%d sends, one in %d signaled, gave %u completions, must be "
		 "%d",
		 COUNT, EVERY, completed, COUNT / EVERY);
	/* Those behind the last marker are settled by the next. */
	recvs[0] = vb_post_recv(p->b, .len = BYTES);
	last = vb_post_send(p->a, .len = BYTES);
	vb_expect_message(last, recvs[0]);

	/* No receive is there: none of these can be done. */
	post(p, sends);
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
	completed = count(sends);
	vb_check(t, VB_FIND_WRONG_COUNT, completed == COUNT,
		 "%d sends were flushed with %u completions", COUNT, completed);
	vb_expect_settled(p);
}

VB_CASE(signal_miscount, .id = "signal/miscount",
	.title = "a completion stands for N sends only while all goes well",
	.spec = "ibv_post_send(3): IBV_SEND_SIGNALED", .needs = VB_NEED_RC,
	.limit_ms = 10000,
	.rules = VB_LIST("CMP-30", "CMP-04", "CMP-07", "CMP-27", "WCS-05",
			 "CMP-09"),
	.defects = VB_LIST("APP-01", "IMM-12", "POST-04"),
	.kills = VB_LIST("D20"), .run = run);
