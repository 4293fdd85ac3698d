// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Without the flag the buffer is the device's until the completion.  It is
 * overwritten at once all the same, and what arrives is looked at, not judged:
 * the old bytes, the new ones, or some of each.  What is judged is that it is
 * nothing else, and that nothing else is changed.
 */
#include <verbatim/case.h>

enum { ROOM = 4096, WORDS = ROOM / 8, ROUNDS = 8 };

static void observe(struct vb_test *t, struct vb_pair *p, unsigned count[3])
{
	struct vb_object *from = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	uint64_t before[WORDS], after[WORDS], came[WORDS];
	unsigned old = 0, fresh = 0;
	struct vb_wr *wr;

	vb_load_words(from, 0, before, WORDS);
	wr = vb_post_write(p->a, .to = to, .len = ROOM, .mr = from,
			   .as_is = true, .scribble = true);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 8), IBV_WC_SUCCESS);
	vb_load_words(from, 0, after, WORDS);
	vb_load_words(to, 0, came, WORDS);
	for (uint32_t i = 0; i < WORDS; i++) {
		old += came[i] == before[i];
		fresh += came[i] == after[i] && before[i] != after[i];
		/* A word may be torn, but between these two. */
		for (unsigned k = 0; k < 64; k += 8) {
			uint8_t is = came[i] >> k & 0xff;

			vb_check(t, VB_FIND_WRONG_CONTENT,
				 is == (before[i] >> k & 0xff) ||
					 is == (after[i] >> k & 0xff),
				 "byte %u of a WRITE was in its buffer neither "
				 "before nor after it was overwritten",
				 8 * i + k / 8);
		}
	}
	count[old == WORDS ? 0 : fresh == WORDS ? 1 : 2]++;
	vb_expect_memory(to);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	unsigned count[3] = { 0 };

	for (unsigned i = 0; i < ROUNDS; i++)
		observe(t, p, count);
	vb_note(t,
		"a buffer overwritten after its post: %u times the old bytes "
		"arrived, %u times the new ones, %u times some of each",
		count[0], count[1], count[2]);
	vb_expect_settled(p);
}

VB_CASE(inline_not_inline, .id = "inline/not-inline",
	.title = "what arrives of an overwritten buffer was in it",
	.spec = "ibv_post_send(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .rules = VB_LIST("PST-08"), .run = run);
