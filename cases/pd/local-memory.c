// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory of another PD is no source for WRITE and no target for the result of
 * a READ or an atomic; the peer's memory is untouched.  UC is held to the same
 * for what it sends.
 */
#include <verbatim/case.h>

enum { BYTES = 256 };

static void attempt(struct vb_test *t, enum ibv_qp_type type, enum vb_op op)
{
	struct vb_object *other = vb_create_pd(vb_a(t));
	struct vb_object *mine = vb_create_mr(other, .len = BYTES);
	struct vb_object *target = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	unsigned access = IBV_ACCESS_REMOTE_WRITE;
	struct vb_pair *p;
	struct vb_wr *wr;

	if (type == IBV_QPT_RC)
		access |= IBV_ACCESS_REMOTE_READ |
			  vb_atomic_access(vb_end_pd(vb_b(t)));
	p = vb_connect(t, .type = type, .depth = 2,
		       .attr_b = { .access = VB_SET(access) });
	wr = vb_post_send(p->a, .op = op, .to = op == VB_SEND ? NULL : target,
			  .mr = mine, .add = 1, .swap = 2,
			  .len = op == VB_CMP_SWAP || op == VB_FETCH_ADD ? 0
									 : 40);
	vb_expect_scenario(t,
			   type == IBV_QPT_UC ? "S08"
			   : op == VB_READ    ? "S09"
					      : "S07",
			   wr, NULL);
	if (op == VB_WRITE || op == VB_READ)
		vb_expect_memory(target);
	if (op == VB_READ)
		vb_expect_untouched(wr);
	vb_expect_settled(p);
}

static void run_rc(struct vb_test *t)
{
	attempt(t, IBV_QPT_RC, VB_SEND);
	attempt(t, IBV_QPT_RC, VB_WRITE);
	attempt(t, IBV_QPT_RC, VB_READ);
}

static void run_uc(struct vb_test *t)
{
	attempt(t, IBV_QPT_UC, VB_SEND);
	attempt(t, IBV_QPT_UC, VB_WRITE);
}

VB_CASE(pd_local_memory_rc, .id = "pd/local-memory-rc",
	.title = "RC: memory of another PD is no buffer of a request",
	.spec = "InfiniBand: protection domains", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("PD-03", "MR-08", "WCS-04", "WCS-25"),
	.defects = VB_LIST("PD-01"), .kills = VB_LIST("M34"), .run = run_rc);
VB_CASE(pd_local_memory_uc, .id = "pd/local-memory-uc",
	.title = "UC: memory of another PD is no buffer of a request",
	.spec = "InfiniBand: protection domains", .dimension = VB_FAULT,
	.needs = VB_NEED_UC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("PD-03", "MR-08", "WCS-04"),
	.defects = VB_LIST("PD-01"), .kills = VB_LIST("M34"), .run = run_uc);
