// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A long message is on its way into a receive of an SRQ while short ones of
 * another queue pair come and go, and receives are posted anew at once, before
 * anything is looked at: nobody gets the receive that is still being filled.
 * Which message is where by then is chance, hence so many rounds.
 */
#include <verbatim/case.h>

enum { DEPTH = 8, LONG = 1000000, SHORT = 100, FAST = 3, ROUNDS = 12 };
enum { RECVS = 1 + 2 * FAST };

static void round_of(struct vb_pair *slow, struct vb_pair *fast,
		     struct vb_object *srq, struct vb_object *room)
{
	struct vb_wr *recvs[RECVS], *send, *sends[FAST];
	unsigned n = 0;

	for (; n <= FAST; n++)
		recvs[n] = vb_post_srq_recv(srq, .len = LONG, .mr = room,
					    .mr_offset = n * LONG);
	send = vb_post_send(slow->a, .len = LONG);
	for (unsigned i = 0; i < FAST; i++)
		sends[i] = vb_post_send(fast->a, .len = SHORT + i);
	for (; n < RECVS; n++)
		recvs[n] = vb_post_srq_recv(srq, .len = LONG, .mr = room,
					    .mr_offset = n * LONG);
	for (unsigned i = 0; i < FAST; i++)
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
	vb_expect_wc(send, IBV_WC_SUCCESS);
	/* What is left waits for messages of its own. */
	while (vb_srq_left(srq) > 0)
		vb_expect_wc(vb_post_send(fast->a, .len = SHORT),
			     IBV_WC_SUCCESS);
	for (unsigned i = 0; i < RECVS; i++)
		vb_expect_some_message(recvs[i]);
}

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_end_pd(vb_b(t));
	struct vb_object *srq = vb_create_srq(pd, .depth = VB_SET(DEPTH));
	struct vb_object *room = vb_create_target(pd, RECVS * LONG);
	/* Thousands of packets a message. */
	struct vb_pair *slow = vb_connect(t, .depth = DEPTH, .srq_b = srq,
					  .attr = { .mtu = VB_SET(256) });
	struct vb_pair *fast = vb_connect(t, .depth = DEPTH, .srq_b = srq);

	for (unsigned i = 0; i < ROUNDS; i++)
		round_of(slow, fast, srq, room);
	vb_expect_all_settled(t);
}
VB_CASE(srq_slow_and_fast, .id = "srq/slow-and-fast",
	.title = "a receive being filled is given to nobody else",
	.spec = "ibv_create_srq(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 15000, .rules = VB_LIST("SRQ-01", "SRQ-03", "CMP-01"),
	.defects = VB_LIST("SRQ-06", "SRQ-12"), .kills = VB_LIST("M11"),
	.run = run);
