// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * 1, 16, 32 and 256 messages in flight, of a fixed sequence of sizes and of
 * random ones, both ways: whatever is done per message must hold for as many
 * as the queue has.
 */
#include <verbatim/case.h>

enum { DEPTH = 256 };

static void run(struct vb_test *t)
{
	static const uint32_t inflight[] = { 1, 16, 32, DEPTH };
	static const struct vb_sizes fixed = {
		.kind = VB_SIZES_LIST,
		.count = 7,
		.bytes = { 1, 4096, 0, 64, 5000, 17, 256 },
	};
	static const struct vb_sizes chance = { .kind = VB_SIZES_RANGE,
						.count = 2,
						.bytes = { 0, 6000 } };
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);

	for (unsigned i = 0; i < sizeof(inflight) / sizeof(inflight[0]); i++) {
		uint32_t messages = inflight[i] + inflight[i] / 2 + 30;

		vb_stream(p, .messages = messages, .inflight = inflight[i],
			  .sizes = &fixed, .direction = VB_BOTH_WAYS);
		vb_stream(p, .messages = messages, .inflight = inflight[i],
			  .sizes = &chance, .signal_every = 5,
			  .direction = VB_BOTH_WAYS);
	}
	vb_expect_settled(p);
}

VB_CASE(message_in_flight, .id = "message/in-flight",
	.title = "from 1 to 256 messages in flight arrive exactly",
	.spec = "ibv_post_send(3)", .needs = VB_NEED_RC, .limit_ms = 30000,
	.rules = VB_LIST("MSG-01", "MSG-02", "CMP-01", "CMP-02", "CMP-03",
			 "CMP-13", "MSG-16"),
	.defects = VB_LIST("WRID-05", "CQ-13", "RETRY-08"),
	.kills = VB_LIST("M09"), .run = run);
