// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A fenced request waits for the READs and atomics before it: it carries what
 * the READ brought, and a READ before a fenced WRITE of the same bytes brings
 * what lay there before.
 */
#include <verbatim/case.h>

enum { ROOM = 16384, ROUNDS = 10 };

static void forward(struct vb_test *t, struct vb_pair *p)
{
	struct vb_object *source = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_object *between = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	uint64_t was[ROOM / 8], came[ROOM / 8];
	struct vb_wr *first, *read, *write;

	/* It waits for all of them, not for the first. */
	first = vb_post_read(p->a, .to = to, .len = 16);
	read = vb_post_read(p->a, .to = source, .len = ROOM, .mr = between);
	write = vb_post_write(p->a, .to = to, .len = ROOM, .mr = between,
			      .as_is = true, .fence = true);
	vb_expect_wc(first, IBV_WC_SUCCESS);
	vb_expect_wc(read, IBV_WC_SUCCESS);
	vb_expect_wc(write, IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 8), IBV_WC_SUCCESS);
	vb_load_words(source, 0, was, ROOM / 8);
	vb_load_words(to, 0, came, ROOM / 8);
	for (uint32_t i = 0; i < ROOM; i += 8)
		vb_check(t, VB_FIND_WRONG_CONTENT, came[i / 8] == was[i / 8],
			 "a fenced WRITE did not carry what the READ before it "
			 "brought: bytes %u to %u",
			 i, i + 7);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *read, *write;

	for (unsigned i = 0; i < ROUNDS; i++) {
		forward(t, p);
		read = vb_post_read(p->a, .to = to, .len = ROOM);
		write = vb_post_write(p->a, .to = to, .len = ROOM,
				      .fence = true);
		/* The content of both is judged by what is known of it. */
		vb_expect_wc(read, IBV_WC_SUCCESS);
		vb_expect_wc(write, IBV_WC_SUCCESS);
		vb_expect_memory(to);
	}
	vb_expect_settled(p);
}

VB_CASE(read_fence, .id = "read/fence",
	.title = "a fenced request waits for the READ before it",
	.spec = "ibv_post_send(3): IBV_SEND_FENCE",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("RMA-04", "RMA-03", "MSG-12"), .kills = VB_LIST("M38"),
	.run = run);
