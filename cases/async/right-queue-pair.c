// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Of several queue pairs on one CQ the last but one is asked for what it must
 * refuse: the event, if the device has one for that, names it and no other.
 */
#include <verbatim/case.h>

enum { PAIRS = 4, VICTIM = 2, BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p[PAIRS];

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = 4, .cq = VB_CQ_SHARED);
	vb_allow_event(p[VICTIM]->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_wc(vb_post_write(p[VICTIM]->a, .to = to, .len = BYTES,
				   .rkey = VB_SET(vb_mr_rkey(to) ^ 1)),
		     IBV_WC_REM_ACCESS_ERR);
	for (unsigned i = 0; i < PAIRS; i++)
		if (i != VICTIM)
			vb_stream(p[i], .messages = 4, .inflight = 4,
				  .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(async_right_queue_pair, .id = "async/right-queue-pair",
	.title = "an event of a queue pair names that one",
	.spec = "ibv_get_async_event(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("AEV-02", "AEV-06", "TDN-05"),
	.defects = VB_LIST("ASYNC-02", "ASYNC-04"), .kills = VB_LIST("R10"),
	.run = run);
