// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several properties of a region are changed by one call, each combination of
 * domain, rights and place: every one of them is changed then, and those that
 * were not named are as before.
 */
#include <verbatim/case.h>

enum { BYTES = 4096, PART = 1024, SMALL = 64 };
enum { DOMAIN = 1, RIGHTS = 2, PLACE = 4, ALL = 7 };

/* True: the device does this. */
static bool change(struct vb_test *t, unsigned what)
{
	struct vb_object *pd = vb_create_pd(vb_b(t));
	struct vb_object *other = vb_create_pd(vb_b(t));
	struct vb_object *mr = vb_create_target(pd, BYTES);
	struct vb_object *now = what & DOMAIN ? other : pd;
	struct vb_rereg_args args = { .pd = what & DOMAIN ? other : NULL };

	if (what & RIGHTS)
		args.access = VB_SET(IBV_ACCESS_REMOTE_READ);
	if (what & PLACE) {
		args.offset = VB_SET(0);
		args.len = VB_SET(PART);
	}
	if (!vb_try_rereg_mr_args(mr, NULL, &args))
		return false;
	vb_expect_access(now, NULL, .to = mr, .op = VB_READ, .len = SMALL,
			 .offset = PART - SMALL);
	vb_expect_access(now, what & RIGHTS ? "S12" : NULL, .to = mr,
			 .op = VB_WRITE, .len = SMALL);
	vb_expect_access(now, what & PLACE ? "S11" : NULL, .to = mr,
			 .op = VB_READ, .len = SMALL,
			 .offset = PART - SMALL + 8);
	vb_expect_access(what & DOMAIN ? pd : other, "S13", .to = mr,
			 .op = VB_READ, .len = SMALL);
	vb_destroy(mr);
	vb_destroy(pd);
	vb_destroy(other);
	return true;
}

static void run(struct vb_test *t)
{
	unsigned done = 0;

	for (unsigned what = 1; what <= ALL; what++)
		done += change(t, what);
	if (!done)
		vb_skip(t, "the device registers nothing again");
	vb_note(t, "%u of %d combinations of properties can be changed", done,
		ALL);
}

VB_CASE(mr_rereg_together, .id = "mr/rereg-together",
	.title = "properties of a region that are changed together all change",
	.spec = "ibv_rereg_mr(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .rules = VB_LIST("MR-18", "PD-04"),
	.defects = VB_LIST("MR-05", "MR-06"), .kills = VB_LIST("D72"),
	.run = run);
