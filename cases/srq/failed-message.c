// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The receive that a message was using when its queue pair failed is gone with
 * it, or completes with an error there: it does not come back into the SRQ.
 * All others are there for the next queue pair, once each, and afterwards there
 * is room for as many as before.
 */
#include <verbatim/case.h>

enum { DEPTH = 6, ROOM = 64 };

/* The whole queue, which was used in part and in whole: twice, so that it
 * wraps. */
static void use_all(struct vb_pair *p, struct vb_object *srq)
{
	struct vb_wr *recvs[DEPTH];

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < DEPTH; i++)
			recvs[i] = vb_post_srq_recv(srq, .len = ROOM);
		for (unsigned i = 0; i < DEPTH; i++)
			vb_expect_message(vb_post_send(p->a, .len = ROOM - i),
					  recvs[i]);
	}
}

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *bad = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *good = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_wr *recvs[DEPTH], *large;
	unsigned used = 0, fine = 0;

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = ROOM);
	large = vb_post_send(bad->a, .len = ROOM + 1);
	vb_expect_wc_among(large, IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_OP_ERR);
	vb_expect_state(bad->b, IBV_QPS_ERR);
	/* Time for a completion that may come or not. */
	vb_let_pass(t, 5);
	for (unsigned i = 0; i < DEPTH; i++)
		if (vb_completed(recvs[i])) {
			vb_expect_wc_among(recvs[i], IBV_WC_LOC_LEN_ERR,
					   IBV_WC_LOC_QP_OP_ERR,
					   IBV_WC_REM_INV_REQ_ERR);
			used++;
		}
	vb_check(t, VB_FIND_WRONG_COUNT, used <= 1,
		 "one message failed, and %u receives of the SRQ with it",
		 used);
	for (unsigned i = 0; i + 1 < DEPTH; i++)
		vb_expect_wc(vb_post_send(good->a, .len = ROOM),
			     IBV_WC_SUCCESS);
	for (unsigned i = 0; i < DEPTH; i++)
		fine += vb_completed(recvs[i]);
	vb_check(t, VB_FIND_WRONG_COUNT, fine - used == DEPTH - 1,
		 "%u receives of the SRQ were left for others, must be %d",
		 fine - used, DEPTH - 1);
	use_all(good, srq);
	vb_expect_all_settled(t);
}

VB_CASE(srq_failed_message, .id = "srq/failed-message",
	.title = "a failed message costs the SRQ one receive at most",
	.spec = "InfiniBand: shared receive queues", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_SRQ, .limit_ms = 10000,
	.rules = VB_LIST("SRQ-11", "SRQ-10", "WCS-01"),
	.kills = VB_LIST("M04", "D91"), .run = run);
