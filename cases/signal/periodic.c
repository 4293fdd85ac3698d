// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One send in N is signaled, up to one in as many as the queue holds: the
 * others succeed without a completion, and each one that comes stands for all
 * before it.
 */
#include <verbatim/case.h>

enum { DEPTH = 16 };

static void run(struct vb_test *t)
{
	static const uint32_t every[] = { 2, 3, 8, 15, DEPTH };
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);

	for (unsigned i = 0; i < sizeof(every) / sizeof(every[0]); i++)
		vb_stream(p, .messages = 5 * DEPTH, .inflight = DEPTH,
			  .signal_every = every[i], .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(signal_periodic, .id = "signal/periodic",
	.title = "one signaled send in N stands for those before it",
	.spec = "ibv_post_send(3): IBV_SEND_SIGNALED", .needs = VB_NEED_RC,
	.limit_ms = 15000,
	.rules = VB_LIST("CMP-04", "CMP-07", "CMP-30", "CMP-01"),
	.defects = VB_LIST("IMM-12", "APP-01", "POST-04"),
	.kills = VB_LIST("M09"), .run = run);
