// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several threads post to one queue pair at once: FETCH_ADDs to its send
 * queue, of which each has a bit of its own in the word, and receives to the
 * receive queue of the other end.  Every request is executed once.
 */
#include <verbatim/case.h>

enum { THREADS = 4, EACH = 15, ROUNDS = 6, ALL = THREADS * EACH };

struct shared {
	struct vb_pair *p;
	struct vb_object *to;
	uint32_t at;
	struct vb_wr *adds[ALL], *recvs[ALL];
};

static void one(struct vb_test *t, unsigned index, void *arg)
{
	struct shared *s = arg;

	for (unsigned i = 0; i < EACH; i++) {
		unsigned n = index * EACH + i;

		s->recvs[n] = vb_post_recv(s->p->b, .len = 100);
		s->adds[n] = vb_post_fetch_add(
			s->p->a, .to = s->to,
			.remote = VB_SET(vb_mr_address(s->to) + s->at),
			.add = UINT64_C(1) << n);
	}
}

static void run(struct vb_test *t)
{
	struct shared s = { .p = vb_connect(t, .depth = ALL) };

	vb_unordered(s.p->a);
	vb_unordered(s.p->b);
	s.to = vb_create_target(vb_qp_pd(s.p->b), 64);
	s.at = (8 - vb_mr_address(s.to) % 8) % 8;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t before = vb_load(s.to, s.at), sum;

		vb_threads(t, THREADS, one, &s);
		for (unsigned i = 0; i < ALL; i++)
			vb_expect_wc(s.adds[i], IBV_WC_SUCCESS);
		vb_expect_wc(vb_post_read(s.p->a, .to = s.to, .offset = 32,
					  .len = 8),
			     IBV_WC_SUCCESS);
		sum = vb_load(s.to, s.at) - before;
		vb_check(t, VB_FIND_WRONG_COUNT,
			 sum == (UINT64_C(1) << ALL) - 1,
			 "each of %d requests was to set a bit of its own, "
			 "the sum is 0x%llx",
			 ALL, (unsigned long long)sum);
		for (unsigned i = 0; i < ALL; i++)
			vb_expect_wc(vb_post_send(s.p->a, .len = i),
				     IBV_WC_SUCCESS);
		for (unsigned i = 0; i < ALL; i++)
			vb_expect_some_message(s.recvs[i]);
	}
	vb_expect_settled(s.p);
}

VB_CASE(thread_one_queue, .id = "thread/one-queue",
	.title = "threads that post to one queue pair lose nothing",
	.spec = "ibv_alloc_td(3): objects are safe for threads by default",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_ATOMIC, .limit_ms = 20000,
	.rules = VB_LIST("PST-16", "CMP-01", "ATO-04"), .kills = VB_LIST("D48"),
	.run = run);
