// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A WRITE behind a READ of the same bytes: with a fence the READ brings what
 * lay there before; without one it may bring either, or some of each, and that
 * is noted.  What lies there in the end is the WRITE's.
 */
#include <verbatim/case.h>

enum { ROUNDS = 60, WORDS = 64, ROOM = 8 * WORDS };

static unsigned round_trip(struct vb_test *t, struct vb_pair *p, bool fence)
{
	struct vb_object *into = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *from = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *read, *write;
	uint64_t before[WORDS], came[WORDS], now[WORDS], sent[WORDS];
	unsigned old = 0;

	vb_load_words(to, 0, before, WORDS);
	read = vb_post_read(p->a, .to = to, .len = ROOM, .mr = into);
	write = vb_post_write(p->a, .to = to, .len = ROOM, .mr = from,
			      .as_is = true, .fence = fence);
	vb_expect_wc(read, IBV_WC_SUCCESS);
	vb_expect_wc(write, IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 8), IBV_WC_SUCCESS);
	vb_load_words(into, 0, came, WORDS);
	vb_load_words(to, 0, now, WORDS);
	vb_load_words(from, 0, sent, WORDS);
	for (uint32_t i = 0; i < WORDS; i++) {
		old += came[i] == before[i];
		vb_check(t, VB_FIND_WRONG_CONTENT,
			 came[i] == before[i] || (!fence && came[i] == now[i]),
			 "a READ before a %sWRITE brought bytes %u to %u of %s",
			 fence ? "fenced " : "", 8 * i, 8 * i + 7,
			 came[i] == now[i] ? "the WRITE" : "neither");
		vb_check(t, VB_FIND_WRONG_CONTENT, now[i] == sent[i],
			 "bytes %u to %u are not the WRITE's", 8 * i,
			 8 * i + 7);
	}
	vb_destroy(into);
	vb_destroy(from);
	vb_destroy(to);
	return old == WORDS;
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	unsigned old = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		round_trip(t, p, true);
		old += round_trip(t, p, false);
	}
	vb_note(t, "without a fence a READ brought the old bytes in %u of %d",
		old, ROUNDS);
	vb_expect_settled(p);
}

VB_CASE(litmus_read_then_write, .id = "litmus/read-then-write",
	.title = "a fenced WRITE does not reach the READ before it",
	.spec = "ibv_post_send(3): IBV_SEND_FENCE",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("RMA-03", "RMA-04", "RMA-05"), .run = run);
