// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completions awaited by events: the CQs are armed, polled empty, and only
 * then is the channel waited for.  No completion is left lying, whether it
 * came before the arming, during it, or after.
 */
#include <verbatim/case.h>

enum { PAIRS = 2, DEPTH = 8, LONE = 20 };

static void run(struct vb_test *t)
{
	struct vb_options events = *t->options;
	const struct vb_options *as_said = t->options;
	struct vb_pair *pairs[PAIRS];

	events.cq_mode = "event";
	t->options = &events;
	for (unsigned i = 0; i < PAIRS; i++)
		pairs[i] = vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SPLIT);
	/* Alone on the wire: each one is waited for. */
	for (unsigned i = 0; i < LONE; i++) {
		struct vb_pair *p = pairs[i % PAIRS];
		struct vb_wr *recv = vb_post_recv(p->b, .len = 100);
		struct vb_wr *send =
			vb_post_send(p->a, .len = i, .solicited = i % 2);

		vb_expect_message(send, recv);
	}
	vb_stream_pairs(pairs, PAIRS, .messages = 64, .inflight = DEPTH,
			.solicited = true, .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
	t->options = as_said;
}

VB_CASE(shared_event_mode, .id = "shared/event-mode",
	.title = "no completion is left lying when events are waited for",
	.spec = "ibv_req_notify_cq(3), ibv_get_cq_event(3)",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 15000,
	.rules = VB_LIST("CQ-06", "CQ-07", "CQ-11", "CQ-14"),
	.defects = VB_LIST("EVT-02", "EVT-07", "EVT-11", "EVT-15", "RETRY-10"),
	.kills = VB_LIST("M18"), .run = run);
