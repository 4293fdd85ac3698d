// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * As many inline bytes as the device wrote back can be sent; one more is
 * refused when posted, in one entry or as the sum of several, and nothing of
 * it appears.
 */
#include <verbatim/case.h>

static void sent(struct vb_pair *p, uint32_t len)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = len);
	struct vb_wr *send = vb_post_send(p->a, .len = len, .inlined = true,
					  .scribble = true);

	vb_expect_message(send, recv);
}

static void run(struct vb_test *t)
{
	static const uint32_t asked[] = { 1, 16, 60, 64, 100, 200 };

	for (unsigned i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct vb_pair *p = vb_connect(t, .depth = 4, .sges = 3,
					       .inline_max = asked[i]);
		uint32_t cap = vb_qp_cap(p->a)->max_inline_data;

		sent(p, cap);
		vb_post_send_refused(p->a, .len = cap + 1, .inlined = true);
		if (cap > 1)
			vb_post_send_refused(
				p->a, .inlined = true,
				.layout = VB_LAYOUT(cap / 2, cap - cap / 2, 1));
		vb_post_send_refused(p->a, .len = cap + 60000, .inlined = true);
		sent(p, cap);
		sent(p, asked[i]);
		vb_expect_settled(p);
	}
}

VB_CASE(inline_limit, .id = "inline/limit",
	.title = "inline data up to the limit are sent, more are refused",
	.spec = "ibv_post_send(3), ibv_create_qp(3): max_inline_data",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PST-05", "RES-19", "PST-02"),
	.defects = VB_LIST("INL-05", "INL-06", "INL-08", "INL-12"), .run = run);
