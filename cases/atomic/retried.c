// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A requester that is impatient repeats its atomics while they are answered.
 * Each is executed once all the same, and each answer is the first one: every
 * FETCH_ADD has two bits of the word for itself, in which being executed twice
 * would show.  One that was given up may have been executed or not.
 */
#include <verbatim/case.h>

enum { COUNT = 32, ROUNDS = 8, TIMEOUT = 1, RETRY = 7 };

/* @steady waits for its answers however long the host takes. */
static void round_trip(struct vb_test *t, struct vb_pair *p,
		       struct vb_pair *steady, struct vb_object *to,
		       uint32_t at, unsigned *given_up)
{
	uint64_t before = vb_load(to, at), sum;
	struct vb_wr *adds[COUNT];
	bool sure[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		adds[i] = vb_post_fetch_add(p->a, .to = to, .offset = at,
					    .add = UINT64_C(1) << 2 * i);
	for (unsigned i = 0; i < COUNT; i++)
		sure[i] = vb_expect_wc_among(adds[i], IBV_WC_SUCCESS,
					     IBV_WC_RETRY_EXC_ERR,
					     IBV_WC_WR_FLUSH_ERR) ==
			  IBV_WC_SUCCESS;
	if (!sure[COUNT - 1]) {
		++*given_up;
		vb_reconnect(p);
	}
	/* It lies there for the processor when a READ has seen it. */
	vb_expect_wc(vb_post_read(steady->a, .to = to, .offset = 32, .len = 8),
		     IBV_WC_SUCCESS);
	sum = vb_load(to, at) - before;
	for (unsigned i = 0; i < COUNT; i++) {
		unsigned times = sum >> 2 * i & 3;

		vb_check(t, VB_FIND_DUPLICATED,
			 times == 1 || (!sure[i] && times == 0),
			 "FETCH_ADD %u of %d was executed %u times%s", i, COUNT,
			 times, sure[i] ? "" : ", and given up");
	}
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(RETRY) });
	struct vb_pair *steady = vb_connect(t, .depth = 2);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), 64);
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;
	unsigned given_up = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		round_trip(t, p, steady, to, at, &given_up);
	if (given_up)
		vb_note(t, "the requester gave up in %u of %d rounds", given_up,
			ROUNDS);
	vb_expect_all_settled(t);
}

VB_CASE(atomic_retried, .id = "atomic/retried",
	.title = "an atomic that is repeated is executed once",
	.spec = "InfiniBand: duplicate atomic requests",
	.needs = VB_NEED_RC | VB_NEED_ATOMIC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("ATO-09", "ATO-04"), .kills = VB_LIST("M29"),
	.run = run);
