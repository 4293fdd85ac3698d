// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two queue pairs have something to tell, which nobody has fetched yet, when a
 * neighbour of theirs is destroyed: their events are still told, once each.  Of
 * one that is destroyed itself nothing is told any more.
 */
#include <verbatim/case.h>

enum { DEPTH = 4, BYTES = 64, QUIET_MS = 5 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *teller = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *second = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *gone = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *neighbour = vb_connect(t, .depth = DEPTH);
	struct vb_wr *recv = vb_post_srq_recv(srq, .len = BYTES);

	vb_expect_message(vb_post_send(teller->a, .len = BYTES), recv);
	/* Nothing is waited for between these three. */
	vb_modify(teller->b, IBV_QPS_ERR);
	vb_modify(second->b, IBV_QPS_ERR);
	vb_destroy_qp(neighbour->b);
	vb_expect_event(teller->b, IBV_EVENT_QP_LAST_WQE_REACHED);
	vb_expect_event(second->b, IBV_EVENT_QP_LAST_WQE_REACHED);
	vb_modify(gone->b, IBV_QPS_ERR);
	vb_destroy_qp(gone->b);
	vb_expect_quiet(vb_b(t), QUIET_MS);
	vb_expect_all_settled(t);
}

VB_CASE(async_destroyed_neighbour, .id = "async/destroyed-neighbour",
	.title = "an event outlives the neighbours of its queue pair",
	.spec = "ibv_get_async_event(3), ibv_destroy_qp(3)",
	.needs = VB_NEED_RC | VB_NEED_SRQ, .limit_ms = 10000,
	.rules = VB_LIST("AEV-09", "SRQ-10", "AEV-02", "TDN-05"),
	.defects = VB_LIST("ASYNC-01", "ASYNC-07", "CQ-16"),
	.kills = VB_LIST("D88", "D96", "R18"), .run = run);
