// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * While an event of a queue pair has been taken and is not acknowledged, its
 * destruction waits, and comes to its end when it is: nobody is left with an
 * event of what is no more.  What shares its SRQ has not noticed.
 */
#include <verbatim/case.h>

enum { DEPTH = 4, WAIT_MS = 30 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(2 * DEPTH));
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *other = vb_connect(t, .depth = DEPTH, .srq_b = srq);

	vb_modify(p->b, IBV_QPS_ERR);
	vb_expect_event_held(p->b, WAIT_MS);
	vb_stream(other, .messages = 2 * DEPTH, .inflight = DEPTH);
	vb_expect_all_settled(t);
}

VB_CASE(async_event_held, .id = "async/event-held",
	.title = "a queue pair is not destroyed while its event is held",
	.spec = "ibv_get_async_event(3), ibv_ack_async_event(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("AEV-01", "AEV-02", "SRQ-13"),
	.defects = VB_LIST("ASYNC-01", "DISC-09"), .run = run);
