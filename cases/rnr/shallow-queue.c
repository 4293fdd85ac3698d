// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sixteen messages in flight, SENDs and WRITEs with immediate, against receive
 * queues of one, four and sixteen: the responder is not ready again and again,
 * and yet every message arrives once, in order.
 */
#include <verbatim/case.h>

enum { TIMER = 1, INFLIGHT = 16 };

static void run(struct vb_test *t)
{
	static const uint32_t receives[] = { 1, 4, 16 };
	static const unsigned mixes[] = { VB_MIX_SEND, VB_MIX_WRITE_IMM };
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, 5000 } };
	uint64_t before, after;

	for (unsigned i = 0; i < 6; i++) {
		uint32_t many = receives[i / 2];
		unsigned mix = mixes[i % 2];
		struct vb_pair *p =
			vb_connect(t, .send_depth = VB_SET(INFLIGHT),
				   .recv_depth = VB_SET(many),
				   .attr = { .min_rnr_timer = VB_SET(TIMER),
					     .timeout = VB_SET(18),
					     .rnr_retry = VB_SET(7) });
		bool counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);

		vb_stream(p, .messages = 64, .inflight = INFLIGHT,
			  .receives = many, .sizes = &sizes, .mix = mix,
			  .no_send = mix != VB_MIX_SEND);
		if (counted && !vb_counter(vb_a(t), "rcvd_rnr_err", &after))
			vb_note(t, "%u receives, %s: %llu RNR NAKs", many,
				mix ? "WRITEs with immediate" : "SENDs",
				(unsigned long long)(after - before));
		vb_expect_settled(p);
	}
}

VB_CASE(rnr_shallow_queue, .id = "rnr/shallow-queue",
	.title = "a receive queue shallower than the flight loses nothing",
	.spec = "InfiniBand: RNR NAK", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_IMM,
	.limit_ms = 20000,
	.rules = VB_LIST("RNR-01", "RNR-03", "RNR-09", "MSG-02", "MSG-16"),
	.defects = VB_LIST("RNR-03", "RNR-10", "RNR-11", "PERF-02"),
	.kills = VB_LIST("M27"), .run = run);
