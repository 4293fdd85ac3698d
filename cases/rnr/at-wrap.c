// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The message that is told "not ready" stands just before the wrap of the PSNs,
 * at it, or behind it, and others follow it across: all come when the receives
 * do, once and in order.  No timer makes up for a NAK that was not understood:
 * there is none.
 */
#include <verbatim/case.h>

enum { COUNT = 4, BYTES = 80, WRAP = 1 << 24, LATE_MS = 3 };

/* Message @refused is the first that has no receive; number 2 has PSN 0. */
static void attempt(struct vb_test *t, unsigned refused)
{
	struct vb_pair *p =
		vb_connect(t, .depth = COUNT,
			   .attr = { .timeout = VB_SET(0),
				     .rnr_retry = VB_SET(7),
				     .min_rnr_timer = VB_SET(8) },
			   .attr_a = { .sq_psn = VB_SET(WRAP - 2) },
			   .attr_b = { .rq_psn = VB_SET(WRAP - 2) });
	struct vb_wr *sends[COUNT], *recvs[COUNT];

	for (unsigned i = 0; i < refused; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES - i);
	vb_expect_pending(sends[refused], LATE_MS);
	for (unsigned i = refused; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void run(struct vb_test *t)
{
	for (unsigned refused = 0; refused < COUNT; refused++)
		attempt(t, refused);
}

VB_CASE(rnr_at_wrap, .id = "rnr/at-wrap",
	.title = "an RNR NAK at the wrap of PSNs is understood",
	.spec = "InfiniBand: RNR NAK; 24 bit packet sequence numbers",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 10000, .rules = VB_LIST("CON-01", "RNR-01", "RNR-07"),
	.defects = VB_LIST("PSN-01", "PSN-09", "RNR-03"),
	.kills = VB_LIST("D94"), .run = run);
