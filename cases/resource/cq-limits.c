// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ of no entries, of a negative number and of one more than the device
 * offers is refused, and so is a completion vector that there is not.  What a
 * CQ has after creation is at least what was asked for.
 */
#include <verbatim/case.h>

enum {
	INT_LAST = 0x7fffffff,
	INT_FIRST = -INT_LAST - 1,
	/* No device has so many vectors. */
	VECTOR_BEYOND = 1 << 20,
};

static void run(struct vb_test *t)
{
	static const int sizes[] = { 1, 2, 3, 4, 5, 7, 8, 9, 100, 255, 256 };
	struct vb_end *a = vb_a(t);
	int max = vb_device_attr(a)->max_cqe;

	vb_create_cq_refused(a, .cqe = VB_SET(0));
	vb_create_cq_refused(a, .cqe = VB_SET(-1));
	vb_create_cq_refused(a, .cqe = VB_SET(INT_FIRST));
	if (max < INT_LAST)
		vb_create_cq_refused(a, .cqe = VB_SET(max + 1));
	vb_create_cq_refused(a, .vector = VB_SET(-1));
	vb_create_cq_refused(a, .vector = VB_SET(VECTOR_BEYOND));

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct vb_object *cq;

		if (sizes[i] > max)
			break;
		cq = vb_create_cq(a, .cqe = VB_SET(sizes[i]));
		vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
			 vb_cq_size(cq) >= (uint32_t)sizes[i],
			 "a CQ of %d entries was asked for, it has %u",
			 sizes[i], vb_cq_size(cq));
		vb_destroy(cq);
	}
}

VB_CASE(resource_cq_limits, .id = "resource/cq-limits",
	.title = "CQ sizes and vectors outside the limits are refused",
	.spec = "ibv_create_cq(3)", .limit_ms = 10000,
	.rules = VB_LIST("RES-01", "RES-10", "RES-11", "RES-12"),
	.defects = VB_LIST("CQ-07", "CQ-08"), .run = run);
