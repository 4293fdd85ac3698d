// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A call whose kernel handle is none fails, for each kind of object; what it
 * was meant for, and all else, works on.
 */
#include <verbatim/case.h>

enum { BYTES = 64 };

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_object *mr = vb_create_mr(pd, .len = BYTES);
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(8));
	struct vb_qp *a = vb_create_qp(vb_a(t), .pd = pd, .send_cq = cq,
				       .recv_cq = cq, .depth = 4);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 4);
	struct vb_pair *p = vb_join(a, b);
	struct vb_wr *recv;

	vb_query_stale_refused(a);
	vb_destroy_stale_refused(mr);
	vb_destroy_stale_refused(pd);
	recv = vb_post_recv(b, .len = BYTES);
	vb_expect_message(vb_post_send(a, .len = BYTES, .mr = mr), recv);
	vb_stream(p, .messages = 8, .inflight = 4, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
	vb_destroy_qp(a);
	vb_destroy(cq);
	vb_destroy(mr);
	vb_destroy(pd);
}

VB_CASE(resource_stale_handles, .id = "resource/stale-handles",
	.title = "a call on a handle that is none harms nothing",
	.spec = "Linux: uverbs object lookup", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("RES-24", "RES-01", "DST-11"),
	.defects = VB_LIST("KEY-02"), .run = run);
