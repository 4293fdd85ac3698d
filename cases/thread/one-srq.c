// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several threads post receives to one SRQ, while messages of several queue
 * pairs take them out: each is taken once.
 */
#include <verbatim/case.h>

enum { THREADS = 4, EACH = 16, ROUNDS = 6, ALL = THREADS * EACH };

struct shared {
	struct vb_object *srq;
	struct vb_pair *p[THREADS];
	struct vb_wr *recvs[ALL];
};

static void one(struct vb_test *t, unsigned index, void *arg)
{
	struct shared *s = arg;
	struct vb_wr *sends[EACH];

	for (unsigned i = 0; i < EACH; i++) {
		s->recvs[index * EACH + i] =
			vb_post_srq_recv(s->srq, .len = 120);
		sends[i] = vb_post_send(s->p[index]->a, .len = 3 * i + index);
	}
	for (unsigned i = 0; i < EACH; i++)
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
}

static void run(struct vb_test *t)
{
	struct shared s = { 0 };

	s.srq = vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(ALL));
	for (unsigned i = 0; i < THREADS; i++)
		s.p[i] = vb_connect(t, .depth = EACH, .srq_b = s.srq,
				    .cq = VB_CQ_SHARED,
				    .attr = { .rnr_retry = VB_SET(7) });
	for (unsigned round = 0; round < ROUNDS; round++) {
		vb_threads(t, THREADS, one, &s);
		for (unsigned i = 0; i < ALL; i++)
			vb_expect_some_message(s.recvs[i]);
		vb_check(t, VB_FIND_WRONG_COUNT, vb_srq_left(s.srq) == 0,
			 "%u receives are left in the SRQ", vb_srq_left(s.srq));
	}
	vb_expect_all_settled(t);
}

VB_CASE(thread_one_srq, .id = "thread/one-srq",
	.title = "threads that post to one SRQ lose nothing",
	.spec = "ibv_post_srq_recv(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 20000, .rules = VB_LIST("PST-16", "SRQ-01", "SRQ-02"),
	.kills = VB_LIST("D48"), .run = run);
