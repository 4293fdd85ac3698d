// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queue pairs that draw from one SRQ, each with a CQ for its sends and another
 * for its receives: every receive completes on the receive CQ of the queue pair
 * that took it, and says that one's number.
 */
#include <verbatim/case.h>

enum { PAIRS = 3, DEPTH = 16, MESSAGES = 16 };

static void run(struct vb_test *t)
{
	struct vb_object *srq = vb_create_srq(vb_end_pd(vb_b(t)),
					      .depth = VB_SET(PAIRS * DEPTH));
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, 2000 } };
	struct vb_pair *p[PAIRS];

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SPLIT,
				  .srq_b = srq);
	vb_stream_pairs(p, PAIRS, .messages = MESSAGES, .inflight = DEPTH / 2,
			.sizes = &sizes, .direction = VB_BOTH_WAYS,
			.imm = true);
	vb_expect_all_settled(t);
}

VB_CASE(srq_split_cqs, .id = "srq/split-cqs",
	.title = "a receive of an SRQ completes where its queue pair says",
	.spec = "ibv_create_srq(3), ibv_create_qp(3): recv_cq",
	.needs = VB_NEED_RC | VB_NEED_SRQ, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("SRQ-02", "SRQ-01", "CMP-10"),
	.defects = VB_LIST("FLUSH-03", "WRID-02"), .kills = VB_LIST("D61"),
	.run = run);
