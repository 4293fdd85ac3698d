// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Of several QPs on one CQ one fails, in the middle of everybody's traffic and
 * in two ways after each other.  Its flushes mix with the neighbours'
 * completions, and the neighbours lose nothing.
 */
#include <verbatim/case.h>

enum { NEIGHBOURS = 3, MESSAGES = 300, ROOM = 50 };

static void fail_short(struct vb_test *t, struct vb_pair *p)
{
	struct vb_wr *small = vb_post_recv(p->b, .len = ROOM);
	struct vb_wr *spare = vb_post_recv(p->b, .len = ROOM);
	struct vb_wr *large = vb_post_send(p->a, .len = ROOM + 1);
	struct vb_wr *later = vb_post_send(p->a, .len = ROOM);

	vb_expect_scenario(t, "S02", large, small);
	vb_expect_wc(spare, IBV_WC_WR_FLUSH_ERR);
	vb_expect_wc(later, IBV_WC_WR_FLUSH_ERR);
}

static void fail_local(struct vb_test *t, struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->a, .len = ROOM);
	struct vb_wr *bad =
		vb_post_send(p->a, .len = ROOM, .lkey = VB_SET(0xfedcba98));

	vb_expect_scenario(t, "S07", bad, NULL);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
}

static void run(struct vb_test *t)
{
	struct vb_pair *pairs[NEIGHBOURS], *unlucky;
	struct vb_stream *s;

	for (unsigned i = 0; i < NEIGHBOURS; i++)
		pairs[i] = vb_connect(t, .depth = 8, .cq = VB_CQ_SHARED);
	unlucky = vb_connect(t, .depth = 8, .cq = VB_CQ_SHARED);
	s = vb_stream_start(pairs, NEIGHBOURS, .messages = MESSAGES,
			    .inflight = 8, .direction = VB_BOTH_WAYS);
	vb_stream_reach(s, MESSAGES / 2);
	fail_short(t, unlucky);
	vb_reconnect(unlucky);
	fail_local(t, unlucky);
	vb_reconnect(unlucky);
	vb_stream(unlucky, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_stream_finish(s);
	vb_expect_all_settled(t);
}

VB_CASE(shared_error_leaves_neighbours, .id = "shared/error-leaves-neighbours",
	.title = "an error of one QP leaves others on its CQ running",
	.spec = "InfiniBand: errors are of one queue pair",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 20000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-05", "CQ-01", "CMP-10", "CMP-25", "CMP-26"),
	.defects = VB_LIST("WRID-02", "CQ-10", "CQ-12", "CQ-16", "FLUSH-13"),
	.kills = VB_LIST("M16"), .run = run);
