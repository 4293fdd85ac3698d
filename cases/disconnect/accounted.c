// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A connection breaks with sixteen messages in flight, half of which have a
 * receive: each is accounted for at both ends.  Those that succeeded have
 * arrived, and none behind one that did not; of those that failed some may have
 * arrived, which is not known to the sender, whole, once and in order; the
 * others have not, and nothing was written for them.
 */
#include <verbatim/case.h>

enum { COUNT = 16, RECEIVES = 8, BYTES = 20000 };

struct burst {
	struct vb_test *t;
	struct vb_pair *p;
	struct vb_wr *sends[COUNT], *recvs[RECEIVES];
};

static void own_error(const struct burst *b)
{
	vb_modify(b->p->a, IBV_QPS_ERR);
}

static void peer_error(const struct burst *b)
{
	vb_modify(b->p->b, IBV_QPS_ERR);
}

static void nothing(const struct burst *b)
{
}

static const struct {
	const char *name;
	void (*strike)(const struct burst *b);
	bool flushed; /* and so are the peer's receives */
} ways[] = {
	{ "modified to ERR", own_error, false },
	{ "peer in ERR", peer_error, true },
	{ "receives used up", nothing, false },
};

/* How many succeeded: from the first on, and no others. */
static unsigned delivered(const struct burst *b, const char *way)
{
	unsigned done = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		if (vb_expect_wc_among(
			    b->sends[i], IBV_WC_SUCCESS, IBV_WC_WR_FLUSH_ERR,
			    IBV_WC_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR,
			    IBV_WC_REM_OP_ERR) != IBV_WC_SUCCESS)
			continue;
		vb_check(b->t, VB_FIND_WRONG_STATUS, i == done && i < RECEIVES,
			 "%s: message %u succeeded, %u before it and %u "
			 "receives were there",
			 way, i, done, RECEIVES);
		done++;
	}
	return done;
}

/* How many have come; of the others, all but one that had begun, nothing. */
static unsigned arrived(const struct burst *b, bool flushed)
{
	unsigned came = 0;

	for (unsigned i = 0; i < RECEIVES; i++) {
		if (!flushed && !vb_completed(b->recvs[i]))
			continue;
		if (vb_expect_wc_among(b->recvs[i], IBV_WC_SUCCESS,
				       IBV_WC_WR_FLUSH_ERR) == IBV_WC_SUCCESS)
			came++;
	}
	for (unsigned i = came + 1; i < RECEIVES; i++)
		vb_expect_untouched(b->recvs[i]);
	return came;
}

static void account(struct vb_test *t, unsigned way)
{
	struct burst b = {
		.t = t,
		.p = vb_connect(t, .depth = COUNT,
				.attr = { .timeout = VB_SET(12),
					  .retry = VB_SET(2),
					  .rnr_retry = VB_SET(2) }),
	};
	unsigned done, came;

	for (unsigned i = 0; i < RECEIVES; i++)
		b.recvs[i] = vb_post_recv(b.p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		b.sends[i] = vb_post_send(b.p->a, .len = BYTES - i);
	ways[way].strike(&b);
	done = delivered(&b, ways[way].name);
	came = arrived(&b, ways[way].flushed);
	for (unsigned i = 0; i < done; i++)
		vb_expect_message(b.sends[i], b.recvs[i]);
	vb_check(t, VB_FIND_WRONG_COUNT, came >= done,
		 "%s: %u messages were acknowledged, %u have arrived",
		 ways[way].name, done, came);
	vb_note(t,
		"%s: %u delivered, %u unknown to the sender, of which %u had "
		"arrived and %u not",
		ways[way].name, done, COUNT - done, came - done, COUNT - came);
	vb_expect_settled(b.p);
	vb_destroy_qp(b.p->a);
	vb_destroy_qp(b.p->b);
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		account(t, i);
	vb_stream(vb_connect(t, .depth = COUNT), .messages = COUNT,
		  .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(disconnect_accounted, .id = "disconnect/accounted",
	.title = "of each message in flight at a break it is known what became "
		 "of it",
	.spec = "InfiniBand: QP states, Error; transport retries",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RETRY,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-08", "TDN-04", "CMP-01", "CMP-25", "QPS-15"),
	.defects = VB_LIST("FLUSH-02", "WRID-09", "DISC-05"),
	.kills = VB_LIST("D20"), .run = run);
