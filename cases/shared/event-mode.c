// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Streams of which the completions are awaited by events: the CQs are armed,
 * polled empty, and only then is the channel waited for.  No completion is
 * left lying, whether it came before the arming, during it, or after.
 */
#include <verbatim/case.h>

enum { PAIRS = 2, DEPTH = 8 };

static void run(struct vb_test *t)
{
	struct vb_options events = *t->options;
	const struct vb_options *as_said = t->options;
	struct vb_pair *pairs[PAIRS];

	events.cq_mode = "event";
	t->options = &events;
	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SPLIT,
				      .attr = { .rnr_retry = VB_SET(7),
						.min_rnr_timer = VB_SET(12) });
	vb_stream_pairs(pairs, PAIRS, .messages = 64, .inflight = DEPTH,
			.solicited = true, .direction = VB_BOTH_WAYS);
	/* Receivers that are not ready make pauses. */
	vb_stream_pairs(pairs, PAIRS, .messages = 32, .inflight = DEPTH,
			.receives = 1);
	vb_expect_all_settled(t);
	t->options = as_said;
}

VB_CASE(shared_event_mode, .id = "shared/event-mode",
	.title = "no completion is left lying when events are waited for",
	.spec = "ibv_req_notify_cq(3), ibv_get_cq_event(3)",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 15000,
	.rules = VB_LIST("CQ-07", "CQ-11", "CQ-14"),
	.defects = VB_LIST("EVT-07", "EVT-11", "EVT-15"), .run = run);
