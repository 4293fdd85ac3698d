// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ is resized while it is full and its oldest entry lies somewhere in the
 * middle of its ring: those before the end of the ring and those behind its
 * beginning are all there afterwards, in their order.
 */
#include <verbatim/case.h>

enum { ENTRIES = 8, LARGE = 100, DEPTH = 64, FILL_MS = 3 };

static void step(struct vb_test *t, struct vb_pair *p, struct vb_object *cq,
		 uint32_t ahead)
{
	uint32_t fill = vb_cq_size(cq) < DEPTH ? vb_cq_size(cq) : DEPTH;
	struct vb_wr *sends[DEPTH], *recvs[DEPTH];

	for (uint32_t i = 0; i < ahead; i++) {
		recvs[i] = vb_post_recv(p->b, .len = 16);
		sends[i] = vb_post_send(p->a, .len = 1);
		vb_expect_message(sends[i], recvs[i]);
	}
	vb_hold_cq(cq);
	for (uint32_t i = 0; i < fill; i++) {
		recvs[i] = vb_post_recv(p->b, .len = 16);
		sends[i] = vb_post_send(p->a, .len = 1 + i % 16);
	}
	for (uint32_t i = 0; i < fill; i++)
		vb_expect_wc(recvs[i], IBV_WC_SUCCESS);
	vb_let_pass(t, FILL_MS);
	vb_check(t, VB_FIND_WRONG_RETURN, vb_try_resize_cq(cq, LARGE),
		 "a CQ of %u that was resized before is not resized to %d",
		 vb_cq_size(cq), LARGE);
	vb_release_cq(cq);
	for (uint32_t i = 0; i < fill; i++)
		vb_expect_message(sends[i], recvs[i]);
	(void)vb_try_resize_cq(cq, ENTRIES);
}

static void run(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(ENTRIES));
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH, .send_cq = cq,
				       .recv_cq = cq);
	struct vb_pair *p = vb_join(a, vb_create_qp(vb_b(t), .depth = DEPTH));

	if (!vb_try_resize_cq(cq, LARGE))
		vb_skip(t, "the device does not resize CQs");
	(void)vb_try_resize_cq(cq, ENTRIES);
	for (uint32_t ahead = 1; ahead < ENTRIES; ahead++)
		step(t, p, cq, ahead);
	vb_expect_settled(p);
}

VB_CASE(cq_resize_wrapped, .id = "cq/resize-wrapped",
	.title = "resizing a full CQ whose ring has wrapped loses nothing",
	.spec = "ibv_resize_cq(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("CQ-04", "CQ-16"),
	.defects = VB_LIST("CQ-02", "CQ-03", "CQ-05"), .kills = VB_LIST("M15"),
	.run = run);
