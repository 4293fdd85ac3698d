// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A message passed through a counter:
 *
 *	first:	x = 1; FETCH_ADD n	second:	FETCH_ADD n; read x
 *
 * When the second's atomic finds that the first's has been, its READ sees the
 * WRITE before that.
 */
#include <verbatim/case.h>

enum { ROUNDS = 100, ROOM = 128, X = 0, N = 64 };

struct sides {
	struct vb_pair *p[2];
	struct vb_object *to;
	uint64_t base;
	struct vb_wr *adds[2], *read;
};

/* Addresses are said, so that no account expects one outcome. */
static void side(struct vb_test *t, unsigned index, void *arg)
{
	struct sides *s = arg;
	struct vb_qp *qp = s->p[index]->a;

	if (index == 0)
		vb_post_write(qp, .to = s->to, .len = 8, .unsignaled = true,
			      .remote = VB_SET(s->base + X));
	s->adds[index] = vb_post_fetch_add(qp, .to = s->to,
					   .add = index ? 1 << 16 : 1,
					   .remote = VB_SET(s->base + N));
	if (index == 1)
		s->read = vb_post_read(qp, .to = s->to, .len = 8,
				       .remote = VB_SET(s->base + X));
}

static void run(struct vb_test *t)
{
	struct sides s = { { vb_connect(t, .depth = 4, .cq = VB_CQ_SHARED),
			     vb_connect(t, .depth = 4, .cq = VB_CQ_SHARED) } };
	unsigned behind = 0;
	uint32_t shift;

	s.to = vb_create_target(vb_qp_pd(s.p[0]->b), ROOM);
	s.base = (vb_mr_address(s.to) + 7) / 8 * 8;
	shift = (uint32_t)(s.base - vb_mr_address(s.to));
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t x = vb_load(s.to, shift + X);
		uint64_t n = vb_load(s.to, shift + N), found;
		bool after;

		vb_threads(t, 2, side, &s);
		vb_expect_wc(s.adds[0], IBV_WC_SUCCESS);
		vb_expect_wc(s.adds[1], IBV_WC_SUCCESS);
		vb_expect_wc(s.read, IBV_WC_SUCCESS);
		found = vb_result(s.adds[1]);
		after = found == n + 1;
		vb_check(t, VB_FIND_OUT_OF_ORDER, after || found == n,
			 "round %u: a counter of %llu was found at %llu", i,
			 (unsigned long long)n, (unsigned long long)found);
		vb_check(t, VB_FIND_OUT_OF_ORDER,
			 !after || vb_result(s.read) != x,
			 "round %u: the counter told of a WRITE that a READ "
			 "behind it did not see",
			 i);
		behind += after;
	}
	vb_note(t, "the second came behind the first in %u of %d rounds",
		behind, ROUNDS);
	vb_expect_all_settled(t);
}

VB_CASE(litmus_counter, .id = "litmus/counter",
	.title = "a counter that has moved tells of the WRITE before it",
	.spec = "InfiniBand: ordering of RDMA WRITE and atomics",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_ATOMIC, .limit_ms = 20000,
	.rules = VB_LIST("RMA-02", "ATO-01", "ATO-06", "MSG-11"), .run = run);
