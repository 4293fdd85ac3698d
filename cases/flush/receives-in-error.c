// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In ERR receives are accepted and come back flushed, alone and in lists; the
 * last one posted is the last to come back, so that it can mark the end of the
 * old work.
 */
#include <verbatim/case.h>

enum { OLD = 3, LATE = 3, ALL = OLD + LATE + 1, BYTES = 64 };

static void run(struct vb_test *t)
{
	/* Nothing is sent: the timers say how long a case waits, no more. */
	struct vb_pair *p = vb_connect(t, .depth = ALL + 1,
				       .attr = { .timeout = VB_SET(10),
						 .retry = VB_SET(1) });
	const struct vb_recv_args list[LATE] = {
		{ .len = BYTES },
		{ .len = BYTES },
		{ .len = BYTES },
	};
	struct vb_wr *recvs[ALL];

	for (unsigned i = 0; i < OLD; i++)
		recvs[i] = vb_post_recv(p->a, .len = BYTES);
	vb_modify(p->a, IBV_QPS_ERR);
	vb_post_recv_list(p->a, LATE, list, LATE, &recvs[OLD]);
	recvs[ALL - 1] = vb_post_recv(p->a, .len = BYTES);
	vb_expect_wc(recvs[ALL - 1], IBV_WC_WR_FLUSH_ERR);
	for (unsigned i = 0; i < ALL - 1; i++) {
		vb_check(t, VB_FIND_LOST, vb_completed(recvs[i]),
			 "the marker has come back before receive %u", i);
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
	}
	vb_expect_settled(p);
}

VB_CASE(flush_receives_in_error, .id = "flush/receives-in-error",
	.title = "receives posted in ERR are flushed, the last one last",
	.spec = "InfiniBand: QP states, Error", .needs = VB_NEED_RC,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-16", "CMP-31", "CMP-26", "CMP-28", "PST-13"),
	.defects = VB_LIST("FLUSH-09", "FLUSH-12", "FLUSH-16"),
	.kills = VB_LIST("M22"), .run = run);
