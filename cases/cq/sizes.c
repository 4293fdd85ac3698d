// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CQs of one entry, of odd sizes and a large one hold as many completions as
 * they say, are filled to the last entry while nobody polls, and wrap many
 * times.
 */
#include <verbatim/case.h>

enum { DEPTH_MAX = 1100, ROUNDS = 4, FILL_MS = 5 };

static void fill(struct vb_test *t, struct vb_pair *p, struct vb_object *cq,
		 uint32_t count)
{
	static struct vb_wr *sends[DEPTH_MAX], *recvs[DEPTH_MAX];

	vb_hold_cq(cq);
	for (uint32_t i = 0; i < count; i++)
		recvs[i] = vb_post_recv(p->b, .len = 8);
	for (uint32_t i = 0; i < count; i++)
		sends[i] = vb_post_send(p->a, .len = i % 8);
	for (uint32_t i = 0; i < count; i++)
		vb_expect_wc(recvs[i], IBV_WC_SUCCESS);
	vb_let_pass(t, FILL_MS);
	vb_release_cq(cq);
	for (uint32_t i = 0; i < count; i++)
		vb_expect_message(sends[i], recvs[i]);
}

static void run(struct vb_test *t)
{
	static const uint32_t sizes[] = { 1, 2, 3, 5, 9, 64, 1000 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct vb_object *cq =
			vb_create_cq(vb_a(t), .cqe = VB_SET(sizes[i]));
		uint32_t size = vb_cq_size(cq);
		uint32_t count = size < DEPTH_MAX ? size : sizes[i];
		struct vb_qp *a = vb_create_qp(vb_a(t), .depth = count,
					       .send_cq = cq, .recv_cq = cq);
		struct vb_qp *b = vb_create_qp(vb_b(t), .depth = count);
		struct vb_pair *p = vb_join(a, b);

		for (unsigned round = 0; round < ROUNDS; round++)
			fill(t, p, cq, count);
		vb_expect_settled(p);
		vb_destroy_qp(a);
		vb_destroy_qp(b);
		vb_destroy(cq);
	}
}

VB_CASE(cq_sizes, .id = "cq/sizes",
	.title = "a CQ of any size holds as many as it says",
	.spec = "ibv_create_cq(3): cqe", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("RES-12", "CQ-16", "CQ-01"),
	.defects = VB_LIST("CQ-07", "CQ-09"), .run = run);
