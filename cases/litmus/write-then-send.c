// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A SEND behind a WRITE tells its receiver that the data is there: when the
 * receive has completed, the processor finds all of it, and of every WRITE
 * before it, without having waited for anything else.
 */
#include <verbatim/case.h>

enum { ROUNDS = 40, ROOM = 16384, PART = 1000, WORDS = ROOM / 8 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_object *from = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	static uint64_t came[WORDS], sent[WORDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint32_t at = (uint32_t)vb_draw(t, 0, ROOM - PART) / 8 * 8;
		struct vb_wr *recv = vb_post_recv(p->b, .len = 16), *send;

		/* New bytes, which nothing but this WRITE carries. */
		vb_store(from, 0, ROOM);
		vb_post_write(p->a, .to = to, .len = ROOM, .mr = from,
			      .as_is = true, .unsignaled = true);
		vb_post_write(p->a, .to = to, .offset = at, .len = PART,
			      .mr = from, .as_is = true, .unsignaled = true);
		send = vb_post_send(p->a, .len = 16);
		vb_expect_received(recv, 16);
		vb_load_words(to, 0, came, WORDS);
		vb_load_words(from, 0, sent, WORDS);
		for (uint32_t k = 0; k < ROOM; k += 8) {
			uint32_t of = k < at || k >= at + PART ? k : k - at;

			vb_check(t, VB_FIND_EARLY, came[k / 8] == sent[of / 8],
				 "round %u: a SEND has come, and bytes %u to "
				 "%u of the WRITEs before it have not",
				 i, k, k + 7);
		}
		vb_expect_wc(send, IBV_WC_SUCCESS);
	}
	vb_expect_settled(p);
}

VB_CASE(litmus_write_then_send, .id = "litmus/write-then-send",
	.title = "a SEND that has come tells of the WRITEs before it",
	.spec = "InfiniBand: ordering of RDMA WRITE and SEND",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("RMA-10", "MSG-11", "CMP-21", "CMP-22"), .run = run);
