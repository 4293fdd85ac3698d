// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In ERR sends are accepted and come back flushed, alone and in lists, signaled
 * or not; the last one posted is the last to come back, so that it can mark the
 * end of the old work.
 */
#include <verbatim/case.h>

enum { OLD = 3, LATE = 3, ALL = OLD + LATE + 1, BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = ALL + 1,
				       .attr = { .rnr_retry = VB_SET(7) });
	const struct vb_send_args list[LATE] = {
		{ .len = BYTES },
		{ .len = BYTES, .unsignaled = true },
		{ .len = BYTES },
	};
	struct vb_wr *sends[ALL];

	/* The peer has no receive: these cannot be done. */
	for (unsigned i = 0; i < OLD; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_post_send_list(p->a, LATE, list, LATE, &sends[OLD]);
	sends[ALL - 1] = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(sends[ALL - 1], IBV_WC_WR_FLUSH_ERR);
	for (unsigned i = 0; i < ALL - 1; i++) {
		vb_check(t, VB_FIND_LOST, vb_completed(sends[i]),
			 "the marker has come back before send %u", i);
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
	}
	vb_expect_settled(p);
}

VB_CASE(flush_sends_in_error, .id = "flush/sends-in-error",
	.title = "sends posted in ERR are flushed, the last one last",
	.spec = "InfiniBand: QP states, Error", .needs = VB_NEED_RC,
	.limit_ms = 10000,
	.rules = VB_LIST("QPS-16", "CMP-31", "CMP-27", "CMP-28", "PST-13"),
	.defects = VB_LIST("FLUSH-04", "FLUSH-09", "FLUSH-12", "FLUSH-14"),
	.kills = VB_LIST("M22"), .run = run);
