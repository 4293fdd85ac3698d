// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A wire that loses, doubles, reorders and spoils packets all the time, both
 * ways: the standard traffic in both directions runs through it, exact.  What
 * the recovery took stands in a note.
 */
#include <verbatim/case.h>

enum { MESSAGES = 96, INFLIGHT = 16 };

static void run(struct vb_test *t)
{
	static const char *const rules[] = {
		"drop:rate=0.02,seed=7",
		"duplicate:rate=0.05,seed=8",
		"reorder:rate=0.02,seed=9,by=2",
		"corrupt:rate=0.02,seed=10",
		("drop:rate=0.01,seed=3;duplicate:rate=0.02,seed=4;"
		 "corrupt:rate=0.01,seed=5"),
	};
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, 6000 } };
	struct vb_tally tally;
	struct vb_pair *p;

	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		p = vb_connect(t, .depth = 2 * INFLIGHT,
			       .attr = { .timeout = VB_SET(12),
					 .retry = VB_SET(7) });
		vb_wire_spoil(t, "%s", rules[i]);
		tally = vb_stream(p, .messages = MESSAGES, .sizes = &sizes,
				  .inflight = INFLIGHT,
				  .direction = VB_BOTH_WAYS,
				  .mix = VB_MIX_ONE_SIDED);
		vb_note(t, "%s: %llu packets hit, %llu messages in %llu us",
			rules[i], (unsigned long long)vb_wire_acted(t, 0),
			(unsigned long long)tally.messages,
			(unsigned long long)tally.duration_ns / 1000);
		vb_wire_heal(t);
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
	}
}

VB_CASE(wire_rates, .id = "wire/rates",
	.title = "a wire that spoils packets all the time spoils no message",
	.spec = "InfiniBand: reliable service", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_FAULTS, .limit_ms = 30000,
	.rules = VB_LIST("RNR-09", "NAK-01", "MSG-02", "CMP-01"),
	.defects = VB_LIST("PSN-01"), .kills = VB_LIST("D26", "D40"),
	.run = run);
