// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two queue pairs write a word each and then read the other's:
 *
 *	first:	x = 1; read y		second:	y = 1; read x
 *
 * The responder does the requests of one queue pair in their order, so that at
 * least one of the two READs comes behind both WRITEs.  That neither sees the
 * other's is forbidden; each other outcome is noted.
 */
#include <verbatim/case.h>

enum { ROUNDS = 150, ROOM = 128, X = 0, Y = 64 };

struct sides {
	struct vb_pair *p[2];
	struct vb_object *to;
	uint64_t base;
	struct vb_wr *reads[2];
};

/* Addresses are said, so that no account expects one outcome. */
static void side(struct vb_test *t, unsigned index, void *arg)
{
	static const uint32_t own[] = { X, Y }, other[] = { Y, X };
	struct sides *s = arg;
	struct vb_qp *qp = s->p[index]->a;

	vb_post_write(qp, .to = s->to, .len = 8, .unsignaled = true,
		      .remote = VB_SET(s->base + own[index]));
	s->reads[index] =
		vb_post_read(qp, .to = s->to, .len = 8,
			     .remote = VB_SET(s->base + other[index]));
}

static void run(struct vb_test *t)
{
	struct sides s = { { vb_connect(t, .depth = 4, .cq = VB_CQ_SHARED),
			     vb_connect(t, .depth = 4, .cq = VB_CQ_SHARED) } };
	unsigned seen[4] = { 0 };
	uint32_t shift;

	s.to = vb_create_target(vb_qp_pd(s.p[0]->b), ROOM);
	s.base = (vb_mr_address(s.to) + 7) / 8 * 8;
	shift = (uint32_t)(s.base - vb_mr_address(s.to));
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t x = vb_load(s.to, shift + X);
		uint64_t y = vb_load(s.to, shift + Y);
		bool new_x, new_y;

		vb_threads(t, 2, side, &s);
		vb_expect_wc(s.reads[0], IBV_WC_SUCCESS);
		vb_expect_wc(s.reads[1], IBV_WC_SUCCESS);
		new_y = vb_result(s.reads[0]) != y;
		new_x = vb_result(s.reads[1]) != x;
		vb_check(t, VB_FIND_OUT_OF_ORDER, new_x || new_y,
			 "round %u: neither of two READs behind WRITEs saw the "
			 "other's WRITE",
			 i);
		seen[new_x + 2 * new_y]++;
	}
	vb_note(t,
		"both saw the other's: %u, only the first: %u, only the "
		"second: %u",
		seen[3], seen[2], seen[1]);
	vb_expect_all_settled(t);
}

VB_CASE(litmus_store_buffering, .id = "litmus/store-buffering",
	.title = "two queue pairs do not both read what was before",
	.spec = "InfiniBand: ordering of RDMA WRITE and READ",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("RMA-02", "MSG-11", "CMP-22"), .run = run);
