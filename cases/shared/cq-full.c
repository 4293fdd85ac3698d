// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ holds as many completions as it says: it is filled to the last entry by
 * two QPs while nobody polls, and then every completion is in it, and no
 * overrun was reported.
 *
 * There is nothing to wait for without polling, so time has to pass.
 */
#include <verbatim/case.h>

enum { ENTRIES_MAX = 512, FILL_MS = 20, ROUNDS = 3 };

static struct vb_pair *sender(struct vb_test *t, struct vb_object *cq,
			      uint32_t depth)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .send_cq = cq, .depth = depth);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = depth);
	struct vb_pair *p = vb_join(a, b);

	return p;
}

static void run(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(20));
	uint32_t size = vb_cq_size(cq), depth = (size + 1) / 2;
	struct vb_wr *sends[ENTRIES_MAX], *recvs[ENTRIES_MAX];
	struct vb_pair *pairs[2];

	if (size > ENTRIES_MAX)
		vb_skip(t, "a CQ of 20 was asked for, it has %u", size);
	pairs[0] = sender(t, cq, depth);
	pairs[1] = sender(t, cq, depth);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t deadline = vb_deadline(t, FILL_MS);

		for (uint32_t i = 0; i < size; i++) {
			recvs[i] = vb_post_recv(pairs[i % 2]->b, .len = 32);
			sends[i] = vb_post_send(pairs[i % 2]->a, .len = 32);
		}
		while (vb_waiting(t, deadline))
			;
		for (uint32_t i = 0; i < size; i++)
			vb_expect_message(sends[i], recvs[i]);
	}
	vb_expect_all_settled(t);
}

VB_CASE(shared_cq_full, .id = "shared/cq-full",
	.title = "a CQ that is exactly full has lost nothing",
	.spec = "ibv_create_cq(3): cqe", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("RES-12", "CQ-16", "CMP-01"),
	.defects = VB_LIST("CQ-01", "CQ-07", "CQ-09", "CQ-20"), .run = run);
