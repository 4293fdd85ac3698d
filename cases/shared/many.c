// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From 2 to 64 queue pairs, more by --qps, both ways at once: on one CQ, and
 * on one for each.  How evenly they were served when half was done is noted.
 */
#include <verbatim/case.h>

enum { PAIRS_MAX = 1024, MESSAGES = 24, DEPTH = 8 };

static void share(struct vb_test *t, uint32_t count, enum vb_cq_choice cq)
{
	static const struct vb_sizes sizes = {
		.kind = VB_SIZES_LIST,
		.count = 5,
		.bytes = { 700, 1, 5000, 64, 0 },
	};
	static struct vb_pair *pairs[PAIRS_MAX];
	uint64_t least, most;
	struct vb_stream *s;

	for (uint32_t i = 0; i < count; i++)
		pairs[i] = vb_connect(t, .depth = DEPTH, .cq = cq,
				      .cqe = VB_SET(cq == VB_CQ_SHARED
							    ? 2 * DEPTH * count
							    : 2 * DEPTH));
	s = vb_stream_start(pairs, count, .messages = MESSAGES,
			    .inflight = DEPTH, .sizes = &sizes,
			    .direction = VB_BOTH_WAYS);
	vb_stream_reach(s, (uint64_t)count * MESSAGES);
	vb_stream_shares(s, &least, &most);
	vb_note(t,
		"%u queue pairs on %s: half way, of %d messages each flow had "
		"%llu to %llu",
		count, cq == VB_CQ_SHARED ? "one CQ" : "a CQ each", MESSAGES,
		(unsigned long long)least, (unsigned long long)most);
	vb_stream_finish(s);
	for (uint32_t i = 0; i < count; i++) {
		vb_expect_qp_settled(pairs[i]->a);
		vb_destroy_qp(pairs[i]->a);
		vb_destroy_qp(pairs[i]->b);
	}
}

static void run(struct vb_test *t)
{
	uint32_t most = (uint32_t)t->options->qps;
	uint32_t room = (uint32_t)vb_device_attr(vb_a(t))->max_cqe;

	share(t, 2, VB_CQ_OWN);
	share(t, 16, VB_CQ_OWN);
	most = most < 64 ? 64 : most < PAIRS_MAX ? most : PAIRS_MAX;
	if (room / (2 * DEPTH) < most)
		most = room / (2 * DEPTH);
	share(t, most, VB_CQ_SHARED);
}

VB_CASE(shared_many, .id = "shared/many",
	.title = "up to 64 queue pairs at once are served, each its own",
	.spec = "ibv_poll_cq(3)", .needs = VB_NEED_RC, .limit_ms = 60000,
	.rules = VB_LIST("CQ-01", "CMP-01", "CMP-10", "MSG-02", "MSG-15"),
	.defects = VB_LIST("WRID-02", "WRID-03", "CQ-20"),
	.kills = VB_LIST("D18"), .run = run);
