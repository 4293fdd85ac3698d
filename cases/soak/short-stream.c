// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Twenty seconds of traffic on several pairs that share their CQs: sizes as
 * --size says, both ways, a fixed number in flight, every byte judged.
 */
#include <verbatim/case.h>

enum { PAIRS_MAX = 64, SECONDS = 20, MESSAGES = 20000 };

static void run(struct vb_test *t)
{
	uint32_t count = (uint32_t)t->options->qps;
	uint64_t deadline, messages = 0, bytes = 0;
	struct vb_pair *pairs[PAIRS_MAX];

	count = count < PAIRS_MAX ? count : PAIRS_MAX;
	for (uint32_t i = 0; i < count; i++)
		pairs[i] = vb_connect(t, .sges = 2, .cq = VB_CQ_SHARED);
	deadline = vb_deadline(t, SECONDS * 1000);
	while (vb_waiting(t, deadline)) {
		struct vb_tally tally = vb_stream_pairs(
			pairs, count, .messages = MESSAGES / count, .sges = 2,
			.signal_every = 4, .imm = true,
			.direction = VB_BOTH_WAYS);

		messages += tally.messages;
		bytes += tally.bytes;
	}
	vb_note(t, "%llu messages, %llu MiB", (unsigned long long)messages,
		(unsigned long long)bytes >> 20);
	vb_expect_all_settled(t);
}

VB_CASE(soak_short_stream, .id = "soak/short-stream",
	.title =
		"twenty seconds of traffic on several pairs, every byte judged",
	.spec = "ibv_post_send(3), ibv_poll_cq(3)", .dimension = VB_SOAK,
	.needs = VB_NEED_RC, .limit_ms = 120000,
	.rules = VB_LIST("MSG-01", "MSG-02", "MSG-15", "MSG-16", "CMP-01",
			 "CQ-16"),
	.defects = VB_LIST("RETRY-10", "WRID-02", "POST-04", "CQ-13"),
	.run = run);
