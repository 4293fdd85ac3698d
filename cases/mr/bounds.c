// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The bounds of a region are exact to the byte, for reads and for writes: its
 * first and its last byte and all of it are granted; one byte before, one past
 * the end, and lengths that wrap round 64 bits are refused, and no byte
 * anywhere is changed by it.
 */
#include <verbatim/case.h>

enum { BYTES = 4000 };

#define LAST_ADDRESS UINT64_MAX

static void granted(struct vb_test *t, struct vb_object *mr, enum vb_op op)
{
	static const struct {
		uint32_t offset, len;
	} pieces[] = {
		{ 0, 1 },	    { BYTES - 1, 1 }, { 0, BYTES },
		{ 1, BYTES - 1 },   { BYTES / 2, 7 }, { 0, BYTES - 1 },
		{ BYTES - 17, 17 },
	};
	struct vb_pair *p = vb_connect(
		t, .depth = 8,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_WRITE |
					     IBV_ACCESS_REMOTE_READ) });

	for (unsigned i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct vb_wr *wr = vb_post_send(p->a, .op = op, .to = mr,
						.offset = pieces[i].offset,
						.len = pieces[i].len);

		vb_expect_wc(wr, IBV_WC_SUCCESS);
		vb_expect_memory(mr);
	}
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void refused(struct vb_object *pd, struct vb_object *mr, enum vb_op op,
		    uint64_t address, uint32_t len)
{
	vb_expect_access(pd, "S11", .to = mr, .op = op,
			 .remote = VB_SET(address), .len = len);
}

static void run(struct vb_test *t)
{
	static const enum vb_op ops[] = { VB_WRITE, VB_READ };
	struct vb_object *pd = vb_end_pd(vb_b(t));
	struct vb_object *mr = vb_create_target(pd, BYTES);
	uint64_t first = vb_mr_address(mr);

	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		granted(t, mr, ops[i]);
		/* One byte too early, or too long. */
		refused(pd, mr, ops[i], first - 1, 1);
		refused(pd, mr, ops[i], first - 1, BYTES);
		refused(pd, mr, ops[i], first - 1, BYTES + 2);
		refused(pd, mr, ops[i], first, BYTES + 1);
		refused(pd, mr, ops[i], first + 1, BYTES);
		refused(pd, mr, ops[i], first + BYTES, 1);
		refused(pd, mr, ops[i], first + BYTES - 1, 2);
		/* The sum wraps. */
		refused(pd, mr, ops[i], LAST_ADDRESS - 15, 32);
		refused(pd, mr, ops[i], LAST_ADDRESS, 1);
		refused(pd, mr, ops[i], LAST_ADDRESS - BYTES + 1, BYTES);
		/* Far away, though the low half of the address fits. */
		refused(pd, mr, ops[i], first ^ (1ULL << 40), 64);
	}
}

VB_CASE(mr_bounds, .id = "mr/bounds",
	.title = "the bounds of a region are exact to the byte",
	.spec = "InfiniBand: R_Key violation", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("MR-07", "MR-08", "MR-09", "MR-24", "WCS-10"),
	.defects = VB_LIST("MR-01"), .kills = VB_LIST("M35"), .run = run);
