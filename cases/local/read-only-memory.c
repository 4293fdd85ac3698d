// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory registered without any right can be sent from, for local reading is
 * always allowed; it cannot be received into.
 */
#include <verbatim/case.h>

enum { BYTES = 500 };

static void run(struct vb_test *t)
{
	struct vb_qp *a =
		vb_create_qp(vb_a(t), .pd = vb_create_pd(vb_a(t)), .depth = 4);
	struct vb_object *pd_b = vb_create_pd(vb_b(t));
	struct vb_qp *b = vb_create_qp(vb_b(t), .pd = pd_b, .depth = 4);
	struct vb_pair *p = vb_join(a, b);
	struct vb_object *from, *into;
	struct vb_wr *recv, *send;

	into = vb_create_mr(pd_b, .len = BYTES, .access = VB_SET(0));
	from = vb_create_mr(pd_b, .len = BYTES, .access = VB_SET(0));
	recv = vb_post_recv(a, .len = BYTES);
	send = vb_post_send(b, .len = BYTES, .mr = from);
	vb_expect_message(send, recv);

	recv = vb_post_recv(b, .len = BYTES, .mr = into);
	send = vb_post_send(a, .len = BYTES);
	vb_expect_scenario(t, "S05", send, recv);
	vb_expect_untouched(recv);
	vb_expect_settled(p);
}

VB_CASE(local_read_only_memory, .id = "local/read-only-memory",
	.title = "memory without LOCAL_WRITE is sent from, not received into",
	.spec = "ibv_reg_mr(3): access", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("MR-02", "MR-03", "WCS-04", "WCS-11"),
	.defects = VB_LIST("MR-03", "MR-05"), .run = run);
