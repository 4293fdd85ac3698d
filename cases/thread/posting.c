// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Threads post, each on queue pairs of its own, to one CQ of both ends. */
#include <verbatim/case.h>

enum { THREADS = 4, ROUNDS = 25, DEPTH = 4 };

static void one(struct vb_test *t, unsigned index, void *arg)
{
	struct vb_pair *p = ((struct vb_pair **)arg)[index];

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct vb_wr *send[DEPTH], *recv[DEPTH];

		for (unsigned i = 0; i < DEPTH; i++)
			recv[i] = vb_post_recv(p->b, .len = 200);
		for (unsigned i = 0; i < DEPTH; i++)
			send[i] = vb_post_send(p->a, .len = 10 * index + i);
		for (unsigned i = 0; i < DEPTH; i++)
			vb_expect_message(send[i], recv[i]);
	}
}

static void run(struct vb_test *t)
{
	struct vb_pair *p[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		p[i] = vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SHARED);
	vb_threads(t, THREADS, one, p);
	vb_expect_all_settled(t);
}

VB_CASE(thread_posting, .id = "thread/posting",
	.title = "several threads post at once", .spec = "ibv_post_send(3)",
	.needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("CMP-01", "CQ-01"), .run = run);
