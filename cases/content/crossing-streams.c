// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several pairs send large and small messages both ways at once; each buffer
 * holds exactly its own message, of its QP and sequence, and no other's.
 */
#include <verbatim/case.h>

enum { PAIRS = 3 };

static void run(struct vb_test *t)
{
	static const struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 7,
		.bytes = { 30000, 16, 1, 9000, 24, 50000, 4096 },
	};
	struct vb_pair *pairs[PAIRS];

	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = vb_connect(t, .depth = 32, .sges = 4);
	vb_stream_pairs(pairs, PAIRS, .messages = 56, .inflight = 32,
			.sizes = &sizes, .sges = 4, .imm = true,
			.direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(content_crossing_streams, .id = "content/crossing-streams",
	.title = "streams that cross do not mix their content",
	.spec = "ibv_poll_cq(3)", .needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("MSG-15", "MSG-02", "SGE-03", "CMP-21"),
	.defects = VB_LIST("DATA-11", "WRID-02", "SGE-09"), .run = run);
