// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An atomic needs all eight bytes of its word: where the region has the first
 * of them alone, or the last, it is refused and the word stays as it was; where
 * the region is exactly that word, it is executed.
 */
#include <verbatim/case.h>

enum { ROOM = 64, WORD = 8 };

static void attempt(struct vb_test *t, struct vb_object *whole, enum vb_op op,
		    uint32_t offset, uint32_t len, uint32_t at, bool granted)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_object *part = vb_create_mr(
		vb_qp_pd(p->b), .over = whole, .offset = offset, .len = len,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
				 vb_atomic_access(vb_qp_pd(p->b))));
	uint64_t was = vb_load(whole, at);
	struct vb_wr *wr = vb_post_send(p->a, .op = op, .to = whole,
					.offset = at,
					.rkey = VB_SET(vb_mr_rkey(part)),
					.add = 3, .compare = was, .swap = ~was);

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	if (granted) {
		vb_expect_wc(wr, IBV_WC_SUCCESS);
	} else {
		vb_expect_scenario(t, "S11", wr, NULL);
		vb_check(t, VB_FIND_WRONG_CONTENT, vb_load(whole, at) == was,
			 "an atomic on a word of which the region has %u bytes "
			 "was refused, and has changed it",
			 len);
	}
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
	vb_destroy(part);
}

static void run(struct vb_test *t)
{
	static const enum vb_op ops[] = { VB_FETCH_ADD, VB_CMP_SWAP };
	struct vb_object *whole = vb_create_target(vb_end_pd(vb_b(t)), ROOM);
	uint32_t at = WORD + (WORD - vb_mr_address(whole) % WORD) % WORD;

	for (unsigned i = 0; i < 2; i++) {
		attempt(t, whole, ops[i], at, WORD, at, true);
		attempt(t, whole, ops[i], at, WORD - 1, at, false);
		attempt(t, whole, ops[i], at, 1, at, false);
		attempt(t, whole, ops[i], at + 1, WORD, at, false);
		attempt(t, whole, ops[i], at + WORD - 1, WORD, at, false);
	}
}

VB_CASE(mr_atomic_bounds, .id = "mr/atomic-bounds",
	.title = "an atomic is granted on words that lie in the region whole",
	.spec = "InfiniBand: R_Key violation", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_ATOMIC, .limit_ms = 15000,
	.rules = VB_LIST("MR-07", "MR-08", "ATO-01"),
	.defects = VB_LIST("MR-01", "ATOM-02"), .kills = VB_LIST("D66"),
	.run = run);
