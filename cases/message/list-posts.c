// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Work requests linked into lists of 2, 3, 31 and 32 do what they would have
 * done one by one: lengths, flags and immediates do not leak from one request
 * of a list into the next.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	static const uint32_t lists[] = { 2, 3, 31, 32 };
	struct vb_pair *p =
		vb_connect(t, .depth = 32, .sges = 3, .inline_max = 64);
	struct vb_pair *all = vb_connect(t, .depth = 32, .sig_all = true);

	for (unsigned i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		vb_stream(p, .messages = 64, .inflight = 32, .sges = 3,
			  .list = lists[i], .imm = true, .inlined = true,
			  .signal_every = 3);
		vb_stream(all, .messages = 64, .inflight = 32,
			  .list = lists[i]);
	}
	vb_expect_all_settled(t);
}

VB_CASE(message_list_posts, .id = "message/list-posts",
	.title = "requests linked into lists do as they do one by one",
	.spec = "ibv_post_send(3): wr->next", .needs = VB_NEED_RC,
	.limit_ms = 20000,
	.rules = VB_LIST("PST-01", "PST-08", "CMP-01", "CMP-06"),
	.defects = VB_LIST("LEN-02", "INL-03", "POST-03", "IMM-11"),
	.kills = VB_LIST("M09", "R01"), .run = run);
