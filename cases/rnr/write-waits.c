// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * WRITEs, a READ and an atomic behind a SEND that waits for its receive: none
 * of them is executed before it, though they ask for no receive themselves and
 * have been on the wire.
 */
#include <verbatim/case.h>

enum { TIMER = 18, BYTES = 64, WRITES = 4, SLOT = 512, WORDS = SLOT / 8 };

static void unchanged(struct vb_test *t, struct vb_object *to,
		      const uint64_t *was, unsigned words)
{
	uint64_t now[WRITES * WORDS];

	vb_load_words(to, 0, now, words);
	for (unsigned i = 0; i < words; i++)
		vb_check(t, VB_FIND_EARLY, now[i] == was[i],
			 "the bytes %u to %u were written before the SEND that "
			 "was posted first and has no receive",
			 8 * i, 8 * i + 7);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = WRITES + 4,
		.attr = { .timeout = VB_SET(16), .rnr_retry = VB_SET(7) },
		.attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), WRITES * SLOT);
	struct vb_wr *writes[WRITES], *send, *read, *recv;
	uint64_t was[WRITES * WORDS];

	vb_load_words(to, 0, was, WRITES * WORDS);
	send = vb_post_send(p->a, .len = BYTES);
	for (unsigned i = 0; i < WRITES; i++)
		writes[i] = vb_post_write(p->a, .to = to, .len = SLOT - 8 * i,
					  .offset = i * SLOT);
	read = vb_post_read(p->a, .to = to, .len = SLOT);
	vb_expect_pending(send,
			  (unsigned)(vb_rnr_timer_ns(TIMER) / 1000000) * 2);
	unchanged(t, to, was, WRITES * WORDS);
	vb_expect_pending(writes[0], 0);
	vb_expect_pending(read, 0);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(send, recv);
	for (unsigned i = 0; i < WRITES; i++)
		vb_expect_wc(writes[i], IBV_WC_SUCCESS);
	vb_expect_wc(read, IBV_WC_SUCCESS);
	vb_expect_memory(to);
	vb_expect_settled(p);
}

VB_CASE(rnr_write_waits, .id = "rnr/write-waits",
	.title = "nothing overtakes a SEND that waits for its receive",
	.spec = "InfiniBand: RNR NAK, ordering", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("RNR-07", "RNR-01", "MSG-02"),
	.defects = VB_LIST("RNR-03"), .kills = VB_LIST("D52"), .run = run);
