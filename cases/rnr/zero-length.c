// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages of no bytes among others wait for receives, and are sent again with
 * them: each takes a packet as any other does, and comes once, in its place.
 */
#include <verbatim/case.h>

enum { MESSAGES = 12, BYTES = 200, LATE_MS = 3 };

static uint32_t length_of(unsigned n)
{
	return n % 3 == 1 ? 1 + n : 0;
}

static void round_of(struct vb_test *t, struct vb_pair *p, unsigned ready)
{
	struct vb_wr *sends[MESSAGES], *recvs[MESSAGES];

	for (unsigned i = 0; i < ready; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < MESSAGES; i++)
		sends[i] = vb_post_send(p->a, .len = length_of(i));
	vb_let_pass(t, LATE_MS);
	for (unsigned i = ready; i < MESSAGES; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < MESSAGES; i++)
		vb_expect_message(sends[i], recvs[i]);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = MESSAGES,
				       .attr = { .rnr_retry = VB_SET(7),
						 .min_rnr_timer = VB_SET(1) });

	for (unsigned ready = 0; ready < 6; ready++)
		round_of(t, p, ready);
	vb_expect_settled(p);
}

VB_CASE(rnr_zero_length, .id = "rnr/zero-length",
	.title = "messages of no bytes that wait for receives come in order",
	.spec = "InfiniBand: RNR NAK, retried requests", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("RNR-01", "RNR-09", "MSG-05", "MSG-02"),
	.defects = VB_LIST("PSN-06", "RNR-03"), .kills = VB_LIST("M31", "M27"),
	.run = run);
