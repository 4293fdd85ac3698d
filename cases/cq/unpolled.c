// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ is destroyed with completions in it that nobody has polled: they go with
 * it, no other CQ sees or lacks any, and a new one of that size begins empty.
 */
#include <verbatim/case.h>

enum { DEPTH = 16, BYTES = 48, LIVES = 3 };

/* A pair whose end b has a CQ of its own, filled and never polled. */
static void life(struct vb_test *t, struct vb_pair *aside)
{
	struct vb_object *cq = vb_create_cq(vb_b(t), .cqe = VB_SET(4 * DEPTH));
	struct vb_pair *p = vb_join(vb_create_qp(vb_a(t), .depth = DEPTH),
				    vb_create_qp(vb_b(t), .depth = DEPTH,
						 .send_cq = cq, .recv_cq = cq));
	struct vb_wr *send[DEPTH], *recv;

	/* A new CQ brings nothing of the one before. */
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_hold_cq(cq);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < DEPTH; i++)
		send[i] = vb_post_send(p->a, .len = BYTES);
	/* What is acknowledged has been received. */
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_wc(send[i], IBV_WC_SUCCESS);
	vb_destroy_qp(p->b);
	vb_destroy(cq);
	vb_stream(aside, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_destroy_qp(p->a);
}

static void run(struct vb_test *t)
{
	struct vb_pair *aside = vb_connect(t, .depth = DEPTH);

	for (unsigned i = 0; i < LIVES; i++)
		life(t, aside);
	vb_expect_all_settled(t);
}

VB_CASE(cq_unpolled, .id = "cq/unpolled",
	.title = "a CQ is destroyed with completions that nobody has polled",
	.spec = "ibv_destroy_cq(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("DST-01", "DST-07"), .run = run);
