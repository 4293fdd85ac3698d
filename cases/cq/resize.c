// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ is resized with every number of entries in it and at every position of
 * its ring: no entry is lost, doubled, changed or out of order, polled by
 * ibv_poll_cq() or by ibv_start_poll().  A size below what lies in it is
 * refused, or not taken on.
 */
#include <verbatim/case.h>

enum {
	ENTRIES = 7,
	LARGE = 40,
	SMALL = 1,
	DEPTH = 64,
	FILL_MS = 3,
	ROUNDS = 4
};

/* The CQ is that of the sender, or of the receiver, which has more to tell. */
static void step(struct vb_test *t, struct vb_pair *p, struct vb_object *cq,
		 uint32_t fill, bool receives)
{
	struct vb_qp *from = receives ? p->b : p->a;
	struct vb_qp *to = receives ? p->a : p->b;
	struct vb_wr *sends[DEPTH], *recvs[DEPTH];
	bool larger;

	vb_hold_cq(cq);
	for (uint32_t i = 0; i < fill; i++) {
		recvs[i] = vb_post_recv(to, .len = 16);
		sends[i] = vb_post_send(from, .len = 1 + i);
	}
	for (uint32_t i = 0; i < fill; i++)
		vb_expect_wc(receives ? sends[i] : recvs[i], IBV_WC_SUCCESS);
	vb_let_pass(t, FILL_MS);
	larger = vb_try_resize_cq(cq, LARGE);
	/* Exactly what lies in it is room enough. */
	if (fill > 0)
		(void)vb_try_resize_cq(cq, fill);
	if (fill > SMALL && vb_try_resize_cq(cq, SMALL))
		vb_check(t, VB_FIND_WRONG_RETURN, vb_cq_size(cq) >= fill,
			 "a CQ with %u entries in it now says that it has %u",
			 fill, vb_cq_size(cq));
	vb_release_cq(cq);
	for (uint32_t i = 0; i < fill; i++)
		vb_expect_message(sends[i], recvs[i]);
	if (larger)
		(void)vb_try_resize_cq(cq, ENTRIES);
}

/* False: the device does not resize CQs. */
static bool resize(struct vb_test *t, struct vb_object *cq)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH, .send_cq = cq,
				       .recv_cq = cq);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = DEPTH);
	struct vb_pair *p = vb_join(a, b);

	if (!vb_try_resize_cq(cq, LARGE))
		return false;
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, vb_cq_size(cq) >= LARGE,
		 "resized to %d, the CQ has %u", LARGE, vb_cq_size(cq));
	(void)vb_try_resize_cq(cq, ENTRIES);
	/* 1 + 2 + ... + ENTRIES is no multiple of any ring: in the course of
	 * this all positions are met. */
	for (unsigned round = 0; round < ROUNDS; round++)
		for (uint32_t fill = 0; fill <= ENTRIES; fill++)
			step(t, p, cq, fill, round % 2);
	vb_expect_settled(p);
	return true;
}

static void run(struct vb_test *t)
{
	struct vb_object *plain = vb_create_cq(vb_a(t), .cqe = VB_SET(ENTRIES));
	struct vb_object *extended = vb_try_create_cq(
		vb_a(t), .cqe = VB_SET(ENTRIES), .extended = true);

	if (!resize(t, plain))
		vb_skip(t, "the device does not resize CQs");
	if (!extended || !resize(t, extended))
		vb_note(t, "the device has no extended CQs that it resizes");
}

VB_CASE(cq_resize, .id = "cq/resize",
	.title = "resizing a CQ loses nothing that is in it",
	.spec = "ibv_resize_cq(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("CQ-04", "CQ-05"),
	.defects = VB_LIST("CQ-02", "CQ-03", "CQ-04", "CQ-05"), .run = run);
