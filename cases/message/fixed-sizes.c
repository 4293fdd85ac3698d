// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Streams of one size each, 32 in flight: what is right for a mix may be wrong
 * when nothing but empty, tiny or full packets follow each other.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));
	const uint32_t bytes[] = { 0, 1, 16, 64, mtu, 4 * mtu };
	struct vb_pair *p = vb_connect(t, .depth = 32);

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		const struct vb_sizes size = { .kind = VB_SIZES_LIST,
					       .count = 1,
					       .bytes = { bytes[i] } };

		vb_stream(p, .messages = 64, .inflight = 32, .sizes = &size);
	}
	vb_expect_settled(p);
}

VB_CASE(message_fixed_sizes, .id = "message/fixed-sizes",
	.title = "streams of messages of one size arrive exactly",
	.spec = "ibv_post_send(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("MSG-01", "MSG-02", "MSG-05", "CMP-13"),
	.defects = VB_LIST("LEN-02", "LEN-03", "PSN-06"), .run = run);
