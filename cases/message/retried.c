// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A requester that is impatient repeats its messages and READs while they are
 * answered: each message comes once all the same, and in its place, and what
 * a READ brings is right.  Where the host is too slow for so little patience,
 * and the requester gives up, that round is made again with more.
 */
#include <verbatim/case.h>

enum {
	COUNT = 24,
	ROUNDS = 12,
	BYTES = 300,
	RETRY = 7,
	IMPATIENT = 1, /* 8 us */
	MORE = 4,
	PATIENT = 17, /* half a second, enough for any host */
};

static struct vb_pair *pair(struct vb_test *t, uint8_t timeout)
{
	return vb_connect(t, .depth = 2 * COUNT,
			  .attr = { .timeout = VB_SET(timeout),
				    .retry = VB_SET(RETRY) });
}

static bool came(struct vb_wr *wr)
{
	return vb_expect_wc_among(wr, IBV_WC_SUCCESS, IBV_WC_RETRY_EXC_ERR,
				  IBV_WC_WR_FLUSH_ERR) == IBV_WC_SUCCESS;
}

/* False: the requester gave up. */
static bool round_trip(struct vb_pair *p, struct vb_object *from)
{
	struct vb_wr *sends[COUNT], *recvs[COUNT], *reads[COUNT];
	bool all = true;

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++) {
		sends[i] = vb_post_send(p->a, .len = i % 3 ? 7 * i : 0);
		reads[i] = vb_post_read(p->a, .to = from, .len = BYTES - i);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		all &= came(sends[i]);
		all &= came(reads[i]);
	}
	for (unsigned i = 0; all && i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	return all;
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = pair(t, IMPATIENT);
	struct vb_object *from = vb_create_target(vb_qp_pd(p->b), BYTES);
	unsigned given_up = 0;
	uint8_t timeout = IMPATIENT;

	for (unsigned i = 0; i < ROUNDS;) {
		bool all = round_trip(p, from);

		vb_check(t, VB_FIND_WRONG_STATUS, all || timeout < PATIENT,
			 "with timeout code %u and %d retries the requester "
			 "gave up",
			 timeout, RETRY);
		i += all;
		given_up += !all;
		if (all && timeout == IMPATIENT)
			continue;
		/* An SRQ would keep the receives left over, so not the same. */
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
		timeout = all ? IMPATIENT : timeout + MORE;
		p = pair(t, timeout);
	}
	if (given_up)
		vb_note(t, "the requester gave up %u times", given_up);
	vb_expect_settled(p);
}

VB_CASE(message_retried, .id = "message/retried",
	.title = "messages and READs that are repeated come once",
	.spec = "InfiniBand: duplicate requests",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 20000,
	.rules = VB_LIST("MSG-16", "RNR-09", "MSG-02", "MSG-05"),
	.defects = VB_LIST("PSN-04", "PSN-06", "READ-04", "RETRY-05"),
	.kills = VB_LIST("D26", "D40", "M31"), .run = run);
