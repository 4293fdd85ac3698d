// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair that fails leaves the receives of its SRQ to the others: none
 * is flushed, and its last-WQE event comes once.
 */
#include <verbatim/case.h>

enum { DEPTH = 6, BYTES = 40 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *bad = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_pair *good = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	struct vb_wr *recv[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		recv[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_modify(bad->b, IBV_QPS_ERR);
	vb_expect_event(bad->b, IBV_EVENT_QP_LAST_WQE_REACHED);
	vb_expect_pending(recv[0], 10);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(vb_post_send(good->a, .len = BYTES), recv[i]);
	vb_expect_all_settled(t);
}

VB_CASE(srq_error, .id = "srq/error",
	.title = "a failed queue pair flushes no receive of its SRQ",
	.spec = "ibv_get_async_event(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_SRQ, .limit_ms = 10000,
	.rules = VB_LIST("SRQ-10", "SRQ-13", "AEV-09"), .run = run);
