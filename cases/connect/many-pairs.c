// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many pairs are connected at once, each with PSNs of its own, and all of them
 * send at the same time; nothing of one arrives at another.
 */
#include <verbatim/case.h>

enum { PAIRS = 16 };

static void run(struct vb_test *t)
{
	const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					.count = 2,
					.bytes = { 0, 5000 } };
	struct vb_pair *pairs[PAIRS];

	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = vb_connect(t, .depth = 8);
	vb_stream_pairs(pairs, PAIRS, .messages = 16, .sizes = &sizes,
			.inflight = 8, .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(connect_many_pairs, .id = "connect/many-pairs",
	.title = "many connections at once do not disturb each other",
	.spec = "ibv_create_qp(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("CON-02", "MSG-02", "CMP-10", "RES-14"),
	.defects = VB_LIST("WRID-02", "WRID-03", "WRID-07"), .run = run);
