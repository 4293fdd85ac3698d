// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A key that differs from the right one in a bit of its index or of its tag is
 * refused, right as address and length are; so is the key of a region that is
 * gone.  Nothing is written.
 */
#include <verbatim/case.h>

enum { BYTES = 128 };

static void refused(struct vb_object *pd, struct vb_object *mr, enum vb_op op,
		    uint32_t key)
{
	vb_expect_access(pd, "S10", .to = mr, .op = op, .len = 16,
			 .rkey = VB_SET(key));
}

static void run(struct vb_test *t)
{
	static const uint32_t flips[] = { 1, 0x80, 0x100, 0x10000, 0x80000000 };
	struct vb_object *pd = vb_end_pd(vb_b(t));
	struct vb_object *mr = vb_create_target(pd, BYTES);
	struct vb_object *dead = vb_create_target(pd, BYTES);
	uint32_t key = vb_mr_rkey(mr), dead_key = vb_mr_rkey(dead);

	vb_destroy(dead);
	for (unsigned i = 0; i < sizeof(flips) / sizeof(flips[0]); i++) {
		refused(pd, mr, VB_WRITE, key ^ flips[i]);
		refused(pd, mr, VB_READ, key ^ flips[i]);
	}
	refused(pd, mr, VB_WRITE, dead_key);
	refused(pd, mr, VB_READ, dead_key);
	refused(pd, dead, VB_WRITE, dead_key);
}

VB_CASE(mr_wrong_key, .id = "mr/wrong-key",
	.title = "a key with one bit wrong, or of the dead, opens nothing",
	.spec = "InfiniBand: R_Key violation", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("MR-10", "MR-11", "MR-08", "WCS-10"),
	.defects = VB_LIST("KEY-01"), .kills = VB_LIST("M36"), .run = run);
