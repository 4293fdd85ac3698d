// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window is bound more often than its key has values in the byte that
 * changes: each binding opens its region by the key that it has then, also when
 * that byte comes round.
 */
#include <verbatim/case.h>

enum { BINDINGS = 300, ROOM = 64, PART = 32, LAST = 5 };

static void bind_often(struct vb_test *t, enum ibv_mw_type type)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_try_create_mw(vb_qp_pd(p->b), type);
	uint32_t key = 0;

	if (!mw) {
		vb_note(t, "there are no windows of type %d", type);
		return;
	}
	for (uint32_t i = 0; i < BINDINGS; i++) {
		if (i + LAST == BINDINGS)
			key = vb_mr_rkey(mw);
		vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .offset = i % PART,
					.len = PART,
					.access = IBV_ACCESS_REMOTE_WRITE |
						  IBV_ACCESS_REMOTE_READ),
			     IBV_WC_SUCCESS);
		vb_expect_wc(vb_post_write(p->a, .to = mw, .len = PART),
			     IBV_WC_SUCCESS);
		if (type == IBV_MW_TYPE_2)
			vb_expect_wc(vb_post_local_inv(p->b, .invalidate = mw),
				     IBV_WC_SUCCESS);
	}
	vb_expect_memory(mr);
	/* One of those that it had before. */
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_scenario(t, "S10",
			   vb_post_write(p->a, .to = mr, .len = 8,
					 .rkey = VB_SET(key)),
			   NULL);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	bind_often(t, IBV_MW_TYPE_1);
	bind_often(t, IBV_MW_TYPE_2);
}

VB_CASE(mw_many_bindings, .id = "mw/many-bindings",
	.title = "a window opens by each of more keys than one byte has",
	.spec = "ibv_bind_mw(3), ibv_inc_rkey(3)",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_MW, .limit_ms = 15000,
	.rules = VB_LIST("MW-09", "MW-10", "MW-14", "MW-05"),
	.defects = VB_LIST("MW-02", "MW-09", "KEY-04"), .kills = VB_LIST("D93"),
	.run = run);
