// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CMP_SWAP writes when the value is the one compared with, and only then; the
 * old value comes back either way.  So it is by each way of posting.
 */
#include <verbatim/case.h>

/* One bit of 64 is enough to be unequal, whichever it is. */
static void nearly_equal(struct vb_pair *p, struct vb_object *to, uint32_t at)
{
	for (unsigned bit = 0; bit < 64; bit += 7) {
		uint64_t near = vb_load(to, at) ^ UINT64_C(1) << bit;

		vb_expect_wc(vb_post_cmp_swap(p->a, .to = to, .offset = at,
					      .compare = near, .swap = bit),
			     IBV_WC_SUCCESS);
		vb_expect_memory(to);
	}
}

static void swap(struct vb_test *t, unsigned path)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = 2, .path = path);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), 64);
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;
	uint64_t first = vb_load(to, at), second = vb_draw(t, 1, UINT64_MAX);
	struct vb_wr *wr;

	wr = vb_post_cmp_swap(p->a, .to = to, .offset = at,
			      .compare = first + 1, .swap = 7);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_check(t, VB_FIND_WRONG_CONTENT, vb_result(wr) == first,
		 "an unequal compare brought another value than lay there");
	vb_expect_memory(to);
	nearly_equal(p, to, at);
	wr = vb_post_cmp_swap(p->a, .to = to, .offset = at, .compare = first,
			      .swap = second, .layout = VB_LAYOUT(3, 5));
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_expect_memory(to);
	wr = vb_post_read(p->a, .to = to, .offset = at, .len = 8);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_check(t, VB_FIND_WRONG_CONTENT, vb_load(to, at) == second,
		 "the swapped value does not lie there");
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	swap(t, path);
}

VB_CASE(atomic_compare_swap, .id = "atomic/compare-swap",
	.title = "CMP_SWAP writes when equal, and brings the old value",
	.spec = "ibv_post_send(3): IBV_WR_ATOMIC_CMP_AND_SWP",
	.needs = VB_NEED_RC | VB_NEED_ATOMIC, .limit_ms = 10000,
	.rules = VB_LIST("ATO-01", "ATO-05", "ATO-10"),
	.kills = VB_LIST("D81", "M54"), .run = run);
