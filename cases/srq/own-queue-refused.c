// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair with an SRQ has no receive queue: a receive posted to it is
 * refused, and does not come to be in the SRQ.
 */
#include <verbatim/case.h>

enum { DEPTH = 4, BYTES = 32 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_wr *recv, *send;

	vb_post_own_recv_refused(p->b, .len = BYTES);
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_pending(send, 5);
	recv = vb_post_srq_recv(srq, .len = BYTES);
	vb_expect_message(send, recv);
	vb_expect_settled(p);
}

VB_CASE(srq_own_queue_refused, .id = "srq/own-queue-refused",
	.title = "a queue pair with an SRQ takes no receives of its own",
	.spec = "ibv_post_recv(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("PST-12", "SRQ-04"), .run = run);
