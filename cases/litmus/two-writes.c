// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One queue pair writes two words, another reads them in the other order:
 *
 *	first:	x = 1; y = 1		second:	read y; read x
 *
 * A READ of y that sees the WRITE is followed by a READ of x that does too.
 */
#include <verbatim/case.h>

enum { ROUNDS = 150, ROOM = 128, X = 0, Y = 64 };

struct sides {
	struct vb_pair *p[2];
	struct vb_object *to;
	uint64_t base;
	struct vb_wr *write, *reads[2];
};

/* Addresses are said, so that no account expects one outcome. */
static void side(struct vb_test *t, unsigned index, void *arg)
{
	struct sides *s = arg;
	struct vb_qp *qp = s->p[index]->a;

	if (index == 0) {
		vb_post_write(qp, .to = s->to, .len = 8, .unsignaled = true,
			      .remote = VB_SET(s->base + X));
		s->write = vb_post_write(qp, .to = s->to, .len = 8,
					 .remote = VB_SET(s->base + Y));
		return;
	}
	s->reads[0] = vb_post_read(qp, .to = s->to, .len = 8,
				   .remote = VB_SET(s->base + Y));
	s->reads[1] = vb_post_read(qp, .to = s->to, .len = 8,
				   .remote = VB_SET(s->base + X));
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
		vb_expect_wc(s.write, IBV_WC_SUCCESS);
		new_y = vb_result(s.reads[0]) != y;
		new_x = vb_result(s.reads[1]) != x;
		vb_check(t, VB_FIND_OUT_OF_ORDER, new_x || !new_y,
			 "round %u: the second WRITE was seen, and then the "
			 "first was not",
			 i);
		seen[new_x + 2 * new_y]++;
	}
	vb_note(t, "seen: neither %u, the first %u, both %u", seen[0], seen[1],
		seen[3]);
	vb_expect_all_settled(t);
}

VB_CASE(litmus_two_writes, .id = "litmus/two-writes",
	.title = "who sees the second WRITE sees the first",
	.spec = "InfiniBand: ordering of RDMA WRITEs",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("RMA-02", "MSG-11", "RMA-10"), .run = run);
