// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each side is given values that differ from the defaults and from the other
 * side's; all of them read back, before traffic and after it.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	uint32_t most = vb_mtu(vb_a(t));
	struct vb_pair *p = vb_connect(
		t, .depth = 8,
		.attr = { .mtu = VB_SET(most < 512 ? most : 512) },
		.attr_a = { .access = VB_SET(IBV_ACCESS_REMOTE_READ),
			    .min_rnr_timer = VB_SET(9),
			    .timeout = VB_SET(19),
			    .retry = VB_SET(5),
			    .rnr_retry = VB_SET(6),
			    .rq_psn = VB_SET(0x123456),
			    .sq_psn = VB_SET(0xfedcba) },
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_WRITE),
			    .min_rnr_timer = VB_SET(21),
			    .timeout = VB_SET(20),
			    .retry = VB_SET(3),
			    .rnr_retry = VB_SET(7),
			    .rq_psn = VB_SET(0xfedcba),
			    .sq_psn = VB_SET(0x123456) });

	vb_expect_attributes(p->a);
	vb_expect_attributes(p->b);
	vb_stream(p, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_attributes(p->a);
	vb_expect_attributes(p->b);
	vb_expect_settled(p);
}

VB_CASE(connect_attributes, .id = "connect/attributes",
	.title = "every attribute of a connection reads back on its side",
	.spec = "ibv_query_qp(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("QPS-09", "CON-02"),
	.defects = VB_LIST("QPSM-03", "QPSM-19", "RETRY-06", "ADDR-04"),
	.run = run);
