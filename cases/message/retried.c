// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A requester that is impatient repeats its messages and READs while they are
 * answered: each message comes once all the same, and in its place, and what
 * a READ brings is right.
 */
#include <verbatim/case.h>

enum { COUNT = 24, ROUNDS = 12, BYTES = 300, TIMEOUT = 1, RETRY = 7 };

/* False: the requester gave up. */
static bool round_trip(struct vb_pair *p, struct vb_object *from)
{
	struct vb_wr *sends[COUNT], *recvs[COUNT], *reads[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++) {
		sends[i] = vb_post_send(p->a, .len = i % 3 ? 7 * i : 0);
		reads[i] = vb_post_read(p->a, .to = from, .len = BYTES - i);
	}
	if (vb_expect_wc_among(reads[COUNT - 1], IBV_WC_SUCCESS,
			       IBV_WC_RETRY_EXC_ERR,
			       IBV_WC_WR_FLUSH_ERR) != IBV_WC_SUCCESS)
		return false;
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_message(sends[i], recvs[i]);
		vb_expect_wc(reads[i], IBV_WC_SUCCESS);
	}
	return true;
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2 * COUNT,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(RETRY) });
	struct vb_object *from = vb_create_target(vb_qp_pd(p->b), BYTES);
	unsigned given_up = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		if (round_trip(p, from))
			continue;
		given_up++;
		vb_reconnect(p);
	}
	vb_check(t, VB_FIND_WRONG_STATUS, given_up < ROUNDS,
		 "the requester gave up in each of %d rounds", ROUNDS);
	if (given_up)
		vb_note(t, "the requester gave up in %u of %d rounds", given_up,
			ROUNDS);
	vb_expect_settled(p);
}

VB_CASE(message_retried, .id = "message/retried",
	.title = "messages and READs that are repeated come once",
	.spec = "InfiniBand: duplicate requests",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 20000,
	.rules = VB_LIST("MSG-16", "RNR-09", "MSG-02", "MSG-05"),
	.defects = VB_LIST("PSN-04", "PSN-06", "READ-04", "RETRY-05"),
	.kills = VB_LIST("D26", "D40", "M31"), .run = run);
