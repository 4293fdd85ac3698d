// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What cannot be registered: addresses where there is nothing, flags that
 * there are not, memory that the process itself cannot write, to be written by
 * the device.  The refusals leave nothing behind: the PD goes at once.
 */
#include <verbatim/case.h>

enum { BYTES = 8192 };

/* Outside the flags that there are and outside those that are hints. */
#define UNKNOWN_FLAGS (1u << 19 | 1u << 30)

static void read_only(struct vb_test *t, struct vb_object *pd)
{
	struct vb_object *mr;

	vb_create_mr_refused(pd, .len = BYTES, .read_only = true,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE));
	mr = vb_try_create_mr(pd, .len = BYTES, .read_only = true,
			      .access = VB_SET(IBV_ACCESS_REMOTE_READ));
	if (!mr)
		vb_note(t, "read-only memory cannot be registered at all");
	else
		vb_destroy(mr);
}

static void empty(struct vb_test *t, struct vb_object *pd)
{
	struct vb_object *mr = vb_try_create_mr(
		pd, .empty = true, .access = VB_SET(IBV_ACCESS_LOCAL_WRITE));

	vb_note(t, "a region of no bytes is %s", mr ? "made" : "refused");
	if (mr)
		vb_destroy(mr);
}

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_b(t));

	vb_create_mr_refused(pd, .len = BYTES, .unmapped = true,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE));
	vb_create_mr_refused(pd, .len = BYTES, .unmapped = true,
			     .access = VB_SET(0));
	vb_create_mr_refused(pd, .len = BYTES,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      UNKNOWN_FLAGS));
	read_only(t, pd);
	empty(t, pd);
	vb_destroy(pd);
}

VB_CASE(mr_register_refused, .id = "mr/register-refused",
	.title = "memory that is not there cannot be registered",
	.spec = "ibv_reg_mr(3)", .dimension = VB_FAULT, .limit_ms = 10000,
	.rules = VB_LIST("MR-12", "MR-13", "MR-15", "MR-17", "RES-01",
			 "RES-17"),
	.defects = VB_LIST("MR-01"), .run = run);
