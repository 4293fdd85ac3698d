// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registering again changes what was asked and nothing else; what held before
 * holds no more.  A registration that failed leaves a region that can be
 * deregistered.
 */
#include <verbatim/case.h>

enum { BYTES = 4096, PART = 1024, SMALL = 64, NO_FLAGS = 1u << 30 };

/* Most accesses are here, which is in the region before and after. */
static void attempt(struct vb_object *pd, struct vb_object *mr, enum vb_op op,
		    const char *scenario)
{
	vb_expect_access(pd, scenario, .to = mr, .op = op, .len = SMALL,
			 .offset = 8);
}

static void failing(struct vb_test *t, struct vb_object *pd)
{
	struct vb_object *mr = vb_create_target(pd, BYTES);
	int answer = 0;

	vb_check(t, VB_FIND_WRONG_RETURN,
		 !vb_try_rereg_mr(mr, &answer, .access = VB_SET(NO_FLAGS)),
		 "registering again with flags that there are not was "
		 "accepted");
	vb_note(t, "a failing ibv_rereg_mr() returns %d", answer);
	vb_destroy(mr);
}

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_b(t));
	struct vb_object *other = vb_create_pd(vb_b(t));
	struct vb_object *mr = vb_create_target(pd, BYTES);
	unsigned done = 0;

	attempt(pd, mr, VB_WRITE, NULL);
	if (vb_try_rereg_mr(mr, NULL,
			    .access = VB_SET(IBV_ACCESS_REMOTE_READ))) {
		done++;
		attempt(pd, mr, VB_WRITE, "S12");
		attempt(pd, mr, VB_READ, NULL);
	}
	if (vb_try_rereg_mr(mr, NULL, .pd = other)) {
		done++;
		attempt(pd, mr, VB_READ, "S13");
		attempt(other, mr, VB_READ, NULL);
		vb_destroy(pd);
		pd = vb_create_pd(vb_b(t));
	}
	if (vb_try_rereg_mr(mr, NULL, .offset = VB_SET(PART),
			    .len = VB_SET(PART))) {
		done++;
		attempt(other, mr, VB_READ, NULL);
		vb_expect_access(other, NULL, .to = mr, .op = VB_READ,
				 .len = SMALL, .offset = PART - SMALL);
		/* It ends earlier now, and what lies behind it is closed. */
		vb_expect_access(other, "S11", .to = mr, .op = VB_READ,
				 .len = SMALL, .offset = PART - SMALL + 1);
	}
	failing(t, pd);
	if (!done)
		vb_skip(t, "the device registers nothing again");
	vb_note(t, "%u of 3 properties can be changed", done);
}

VB_CASE(mr_rereg_terms, .id = "mr/rereg-terms",
	.title = "a region registered again obeys the new terms alone",
	.spec = "ibv_rereg_mr(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .rules = VB_LIST("MR-18", "MR-19", "PD-01"),
	.defects = VB_LIST("KEY-02", "KEY-07"), .kills = VB_LIST("D60"),
	.run = run);
