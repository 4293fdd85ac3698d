// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An SRQ without receives: a sender on RC waits for one, or gives up when it
 * may not wait, and datagrams are dropped without a word.  What comes after
 * the receive is there arrives.
 */
#include <verbatim/case.h>

enum { DEPTH = 4, BYTES = 100, QUIET_MS = 10 };

static void connected(struct vb_test *t, struct vb_object *srq)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .srq_b = srq,
				       .attr = { .rnr_retry = VB_SET(7) });
	struct vb_pair *hasty = vb_connect(t, .depth = DEPTH, .srq_b = srq,
					   .attr = { .rnr_retry = VB_SET(0) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_expect_pending(send, QUIET_MS);
	vb_expect_message(send, vb_post_srq_recv(srq, .len = BYTES));
	vb_expect_scenario(t, "S03", vb_post_send(hasty->a, .len = BYTES),
			   NULL);
	vb_reconnect(hasty);
}

static void datagrams(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = DEPTH,
				       .path = VB_PATH_SRQ);
	struct vb_pair *aside =
		vb_connect(t, .type = IBV_QPT_UD, .depth = DEPTH);
	struct vb_wr *gone = vb_post_send(p->a, .len = BYTES), *recv;

	vb_expect_wc(gone, IBV_WC_SUCCESS);
	vb_expect_dropped(gone, QUIET_MS);
	/* What is sent behind it has come: it is gone. */
	recv = vb_post_recv(aside->b, .len = BYTES);
	vb_expect_message(vb_post_send(aside->a, .len = BYTES), recv);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(vb_post_send(p->a, .len = BYTES - 1), recv);
}

static void run(struct vb_test *t)
{
	connected(t, vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH)));
	datagrams(t);
	vb_expect_all_settled(t);
}

VB_CASE(srq_empty, .id = "srq/empty",
	.title = "an SRQ without receives is a receiver that is not ready",
	.spec = "ibv_create_srq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_SRQ | VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("SRQ-04", "UD-06", "WCS-13"), .kills = VB_LIST("M39"),
	.run = run);
