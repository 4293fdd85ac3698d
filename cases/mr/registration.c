// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registrations that must be refused: rights to write from afar without the
 * local one, memory that is not there, memory that cannot be written.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_end_pd(vb_a(t));
	struct vb_object *mr;

	vb_create_mr_refused(pd, .len = 64,
			     .access = VB_SET(IBV_ACCESS_REMOTE_WRITE));
	vb_create_mr_refused(pd, .len = 64,
			     .access = VB_SET(IBV_ACCESS_REMOTE_ATOMIC));
	vb_create_mr_refused(pd, .len = 64, .unmapped = true);
	vb_create_mr_refused(pd, .len = 64, .read_only = true);
	mr = vb_create_mr(pd, .len = 64, .access = VB_SET(0));
	vb_destroy(mr);
	mr = vb_create_mr(pd, .len = 64, .read_only = true,
			  .access = VB_SET(IBV_ACCESS_REMOTE_READ));
	vb_expect_memory(mr);
}

VB_CASE(mr_registration, .id = "mr/registration",
	.title = "memory is registered with rights that it has",
	.spec = "ibv_reg_mr(3)", .needs = VB_NEED_RC, .limit_ms = 5000,
	.rules = VB_LIST("MR-01", "MR-12", "MR-13"), .run = run);
