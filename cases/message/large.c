// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Large messages, of 1 MiB and a byte around it, with small ones between them:
 * one completion for each, however many packets it took.
 */
#include <verbatim/case.h>

enum { MIB = 1 << 20 };

static void run(struct vb_test *t)
{
	static const struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 6,
		.bytes = { MIB, 1, MIB - 1, 0, MIB + 1, 100 },
	};
	struct vb_pair *p = vb_connect(t, .depth = 6);

	vb_stream(p, .messages = 6, .inflight = 6, .sizes = &sizes);
	vb_stream(p, .messages = 3, .inflight = 3, .sizes = &sizes,
		  .direction = VB_B_TO_A);
	vb_expect_settled(p);
}

VB_CASE(message_large, .id = "message/large",
	.title = "messages of 1 MiB arrive whole", .spec = "ibv_post_send(3)",
	.needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("MSG-01", "MSG-06", "MSG-15", "CMP-13"),
	.defects = VB_LIST("LEN-12", "RETRY-08", "RETRY-11"),
	.kills = VB_LIST("R02"), .run = run);
