// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completions polled one by one, and a flush of full queues among them: a poll
 * never gives more than it was asked for, and nothing is skipped.
 */
#include <verbatim/case.h>

enum { DEPTH = 16, BYTES = 60 };

static void run(struct vb_test *t)
{
	struct vb_options one = *t->options;
	const struct vb_options *as_said = t->options;
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];
	struct vb_pair *p;

	one.batch = 1;
	t->options = &one;
	p = vb_connect(t, .depth = DEPTH, .attr = { .rnr_retry = VB_SET(7) });
	vb_stream(p, .messages = 64, .inflight = DEPTH,
		  .direction = VB_BOTH_WAYS);
	for (unsigned i = 0; i < DEPTH; i++) {
		recvs[i] = vb_post_recv(p->a, .len = BYTES);
		sends[i] = vb_post_send(p->a, .len = BYTES);
	}
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < DEPTH; i++) {
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
	}
	vb_expect_settled(p);
	t->options = as_said;
}

VB_CASE(shared_one_at_a_time, .id = "shared/one-at-a-time",
	.title = "polls of one entry give each completion once",
	.spec = "ibv_poll_cq(3): num_entries", .needs = VB_NEED_RC,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CMP-24", "CMP-01", "CMP-28"),
	.defects = VB_LIST("CQ-12", "CQ-11"), .kills = VB_LIST("M16"),
	.run = run);
