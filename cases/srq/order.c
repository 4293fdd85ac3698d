// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives of an SRQ are taken in the order posted by nearly every device; what
 * is promised is that the messages of one queue pair come in order.  That is
 * judged, which receive each took is noted.
 */
#include <verbatim/case.h>

enum { DEPTH = 32, ROUNDS = 5, PAIRS = 2 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];
	struct vb_pair *p[PAIRS];
	unsigned other = 0;

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct vb_pair *from = p[round % PAIRS];

		for (unsigned i = 0; i < DEPTH; i++)
			recvs[i] = vb_post_srq_recv(srq, .len = 200);
		for (unsigned i = 0; i < DEPTH; i++)
			sends[i] = vb_post_send(from->a, .len = 3 * i);
		for (unsigned i = 0; i < DEPTH; i++) {
			vb_expect_wc(sends[i], IBV_WC_SUCCESS);
			other += vb_expect_some_message(recvs[i]) != sends[i];
		}
	}
	if (other)
		vb_note(t, "%u of %d receives were taken out of their order",
			other, ROUNDS * DEPTH);
	vb_expect_all_settled(t);
}

VB_CASE(srq_order, .id = "srq/order",
	.title = "messages of a queue pair leave an SRQ in their order",
	.spec = "ibv_create_srq(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("SRQ-03", "SRQ-01", "SRQ-02"),
	.kills = VB_LIST("D48"), .run = run);
