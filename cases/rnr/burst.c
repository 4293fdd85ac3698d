// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A burst of messages finds receives for the first few only.  The one that
 * meets the empty queue is tried again, and so are all behind it that were on
 * their way already: every message arrives, once, in order.
 */
#include <verbatim/case.h>

enum { BURST = 16, TIMER = 12, BYTES = 2500 };

static void burst(struct vb_test *t, uint32_t ready)
{
	struct vb_pair *p = vb_connect(
		t, .depth = BURST,
		.attr = { .timeout = VB_SET(18), .rnr_retry = VB_SET(7) },
		.attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	struct vb_wr *recvs[BURST], *sends[BURST];
	bool counted;
	uint64_t before;

	for (uint32_t i = 0; i < ready; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	for (uint32_t i = 0; i < BURST; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES - 150 * i,
					.unsignaled = i % 3 == 1);
	for (uint32_t i = 0; i < ready; i++)
		vb_expect_message(sends[i], recvs[i]);
	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + 1);
	for (uint32_t i = ready; i < BURST; i++) {
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
		vb_expect_message(sends[i], recvs[i]);
	}
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	burst(t, 0);
	burst(t, 1);
	burst(t, 5);
	burst(t, BURST - 1);
}

VB_CASE(rnr_burst, .id = "rnr/burst",
	.title = "messages behind one that waits for a receive are not lost",
	.spec = "InfiniBand: RNR NAK, ordering", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 15000,
	.rules = VB_LIST("RNR-01", "RNR-07", "RNR-09", "MSG-02", "MSG-16"),
	.defects = VB_LIST("RNR-03", "RETRY-04", "DATA-11"),
	.kills = VB_LIST("M27"), .run = run);
