// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window is not its region: one byte before or behind it is closed though it
 * is the region's, and what the window does not allow is refused though the
 * region has the right.  Neither costs the region a byte, nor the window.
 */
#include <verbatim/case.h>

enum { ROOM = 512, AT = 128, PART = 200 };

struct attempt {
	const char *scenario; /* NULL: it is done */
	enum vb_op op;
	unsigned access; /* of the window */
	uint32_t offset; /* of the region */
	uint32_t len;
};

static void one(struct vb_test *t, enum ibv_mw_type type,
		const struct attempt *a, unsigned path)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .path = path);
	struct vb_object *pd = vb_qp_pd(p->b);
	struct vb_object *mr = vb_create_mr(
		pd, .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND |
				 IBV_ACCESS_REMOTE_WRITE |
				 IBV_ACCESS_REMOTE_READ));
	struct vb_object *mw = vb_create_mw(pd, type);
	struct vb_wr *wr;

	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .offset = AT, .len = PART,
				.access = a->access),
		     IBV_WC_SUCCESS);
	wr = vb_post_send(p->a, .op = a->op, .to = mr, .offset = a->offset,
			  .len = a->len, .rkey = VB_SET(vb_mr_rkey(mw)));
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	if (a->scenario)
		vb_expect_scenario(t, a->scenario, wr, NULL);
	else
		vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_expect_memory(mr);
	vb_expect_settled(p);
	vb_destroy(mw);
	vb_destroy(mr);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

enum { READ = IBV_ACCESS_REMOTE_READ, WRITE = IBV_ACCESS_REMOTE_WRITE };

static void bounds(struct vb_test *t, enum ibv_mw_type type)
{
	static const struct attempt attempts[] = {
		{ NULL, VB_WRITE, READ | WRITE, AT, PART },
		{ NULL, VB_READ, READ | WRITE, AT, PART },
		{ "S11", VB_WRITE, READ | WRITE, AT - 1, PART },
		{ "S11", VB_WRITE, READ | WRITE, AT + 1, PART },
		{ "S11", VB_READ, READ | WRITE, AT - 1, 1 },
		{ "S11", VB_READ, READ | WRITE, AT + PART, 1 },
	};

	for (unsigned i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		one(t, type, &attempts[i], 0);
}

static void rights(struct vb_test *t, enum ibv_mw_type type, unsigned path)
{
	static const struct attempt attempts[] = {
		{ NULL, VB_READ, READ, AT, PART },
		{ NULL, VB_WRITE, WRITE, AT, PART },
		{ "S12", VB_WRITE, READ, AT, PART },
		{ "S12", VB_READ, WRITE, AT, PART },
	};

	for (unsigned i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		one(t, type, &attempts[i], path);
}

static void run_bounds_1(struct vb_test *t)
{
	bounds(t, IBV_MW_TYPE_1);
}

static void run_bounds_2(struct vb_test *t)
{
	bounds(t, IBV_MW_TYPE_2);
}

static void run_rights_1(struct vb_test *t)
{
	rights(t, IBV_MW_TYPE_1, 0);
}

static void run_rights_2(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	rights(t, IBV_MW_TYPE_2, path);
}

VB_CASE(mw_bounds_1, .id = "mw/limits-bounds-type1",
	.title = "type 1: a window ends where it ends, not with its region",
	.spec = "ibv_bind_mw(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_MW, .limit_ms = 15000,
	.rules = VB_LIST("MW-05", "MR-07", "MR-08"),
	.defects = VB_LIST("MW-01", "MW-04"), .kills = VB_LIST("D62"),
	.run = run_bounds_1);
VB_CASE(mw_bounds_2, .id = "mw/limits-bounds-type2",
	.title = "type 2: a window ends where it ends, not with its region",
	.spec = "ibv_post_send(3): IBV_WR_BIND_MW", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_MW2, .limit_ms = 15000,
	.rules = VB_LIST("MW-05", "MR-07", "MR-08"),
	.defects = VB_LIST("MW-01", "MW-04"), .kills = VB_LIST("D62"),
	.run = run_bounds_2);
VB_CASE(mw_rights_1, .id = "mw/limits-rights-type1",
	.title = "type 1: a window gives its own rights, not its region's",
	.spec = "ibv_bind_mw(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_MW, .limit_ms = 15000,
	.rules = VB_LIST("MW-05", "MR-08"),
	.defects = VB_LIST("MW-01", "MW-04"), .kills = VB_LIST("D63"),
	.run = run_rights_1);
VB_CASE(mw_rights_2, .id = "mw/limits-rights-type2",
	.title = "type 2: a window gives its own rights, not its region's",
	.spec = "ibv_post_send(3): IBV_WR_BIND_MW", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_MW2, .limit_ms = 15000,
	.rules = VB_LIST("MW-05", "MR-08"),
	.defects = VB_LIST("MW-01", "MW-04"), .kills = VB_LIST("D63"),
	.run = run_rights_2);
