// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several QPs of each end report to one CQ, sends and receives together.  Of
 * the completions that interleave there each is found to be of its own QP and
 * request, and each queue's are in order.
 */
#include <verbatim/case.h>

enum { PAIRS_MAX = 64 };

static void run(struct vb_test *t)
{
	static const struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 6,
		.bytes = { 9000, 1, 64, 20000, 0, 300 },
	};
	struct vb_pair *pairs[PAIRS_MAX];
	uint32_t count = (uint32_t)t->options->qps;

	count = count < 2 ? 2 : count < PAIRS_MAX ? count : PAIRS_MAX;
	for (uint32_t i = 0; i < count; i++)
		pairs[i] = vb_connect(t, .depth = 16, .cq = VB_CQ_SHARED);
	vb_stream_pairs(pairs, count, .messages = 64, .inflight = 16,
			.sizes = &sizes, .direction = VB_BOTH_WAYS);
	vb_stream_pairs(pairs, count, .messages = 64, .inflight = 16,
			.sizes = &sizes, .signal_every = 5, .imm = true);
	vb_expect_all_settled(t);
}

VB_CASE(shared_one_cq, .id = "shared/one-cq",
	.title = "completions of many QPs on one CQ find their requests",
	.spec = "ibv_create_cq(3), ibv_poll_cq(3)", .needs = VB_NEED_RC,
	.limit_ms = 20000,
	.rules = VB_LIST("CQ-01", "CMP-01", "CMP-02", "CMP-03", "CMP-10",
			 "PST-14"),
	.defects = VB_LIST("WRID-02", "WRID-03", "WRID-07", "CQ-20"),
	.run = run);
