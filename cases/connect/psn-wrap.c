// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * PSNs are 24 bits wide and wrap.  Each side starts at its own distance from
 * the wrap, before, at and behind it, and messages of one and of many packets
 * cross it in both directions.
 */
#include <verbatim/case.h>

static void cross(struct vb_test *t, uint32_t psn_a, uint32_t psn_b)
{
	uint32_t mtu = vb_mtu(vb_a(t));
	const struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 5,
		.bytes = { 1, 0, mtu, 3 * mtu + 1, 7 * mtu },
	};
	struct vb_pair *p = vb_connect(
		t, .depth = 16,
		.attr_a = { .sq_psn = VB_SET(psn_a), .rq_psn = VB_SET(psn_b) },
		.attr_b = { .sq_psn = VB_SET(psn_b), .rq_psn = VB_SET(psn_a) });

	vb_stream(p, .messages = 20, .sizes = &sizes,
		  .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void run(struct vb_test *t)
{
	static const uint32_t starts[] = { 0xfffff0, 0xfffffe, 0xffffff, 0 };
	enum { STARTS = sizeof(starts) / sizeof(starts[0]) };

	for (unsigned i = 0; i < STARTS; i++)
		cross(t, starts[i], starts[(i + 1) % STARTS]);
	cross(t, 0xffffff, 0xffffff);
	/* Beside half of the number space, where signed arithmetic turns. */
	cross(t, 0x7fffff, 0x800000);
}

VB_CASE(connect_psn_wrap, .id = "connect/psn-wrap",
	.title = "messages cross the wrap of the PSN in both directions",
	.spec = "InfiniBand: 24 bit packet sequence numbers",
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("CON-01", "MSG-02", "MSG-06"),
	.defects = VB_LIST("PSN-01", "PSN-06", "PSN-07", "PSN-09"),
	.kills = VB_LIST("M30"), .run = run);
