// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The same memory is registered several times, with other flags, in another
 * PD, in part: each key carries its own rights and bounds and no other's, and
 * lives and dies alone.
 */
#include <verbatim/case.h>

enum { BYTES = 512, PART = 128, OFFSET = 64, SMALL = 32 };

static void expect(struct vb_object *pd, struct vb_object *mr, enum vb_op op,
		   uint32_t offset, const char *scenario)
{
	vb_expect_access(pd, scenario, .to = mr, .op = op, .len = SMALL,
			 .offset = offset);
}

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_b(t));
	struct vb_object *other = vb_create_pd(vb_b(t));
	struct vb_object *whole = vb_create_target(pd, BYTES);
	struct vb_object *readable =
		vb_create_mr(pd, .over = whole, .len = BYTES,
			     .access = VB_SET(IBV_ACCESS_REMOTE_READ));
	struct vb_object *part =
		vb_create_mr(pd, .over = whole, .offset = OFFSET, .len = PART,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_WRITE));
	struct vb_object *foreign =
		vb_create_mr(other, .over = whole, .len = BYTES,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_WRITE));

	expect(pd, whole, VB_WRITE, 0, NULL);
	expect(pd, readable, VB_READ, 0, NULL);
	expect(pd, readable, VB_WRITE, 0, "S12");
	expect(pd, part, VB_WRITE, PART - SMALL, NULL);
	expect(pd, part, VB_WRITE, PART - SMALL + 1, "S11");
	expect(pd, part, VB_READ, 0, "S12");
	expect(pd, foreign, VB_WRITE, 0, "S13");
	expect(other, foreign, VB_WRITE, 0, NULL);
	expect(other, whole, VB_WRITE, 0, "S13");
	vb_destroy(whole);
	expect(pd, readable, VB_READ, 8, NULL);
	expect(pd, part, VB_WRITE, 8, NULL);
	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 vb_mr_rkey(readable) != vb_mr_rkey(part) &&
			 vb_mr_rkey(part) != vb_mr_rkey(foreign) &&
			 vb_mr_rkey(foreign) != vb_mr_rkey(readable),
		 "two live regions have one key");
}

VB_CASE(mr_same_memory, .id = "mr/same-memory",
	.title = "several regions over one memory have each its own rights",
	.spec = "ibv_reg_mr(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000,
	.rules = VB_LIST("MR-14", "MR-07", "MR-08", "PD-04", "RES-15"),
	.defects = VB_LIST("KEY-07", "MR-01"), .run = run);
