// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window, its region and the queue pair that binds it share one PD: else the
 * binding fails, at the post or at its completion, and nothing is written.
 */
#include <verbatim/case.h>

enum { BYTES = 256, KINDS = 2 };

static void refused(struct vb_test *t, struct vb_object *qp_pd,
		    struct vb_object *mw_pd, struct vb_object *mr_pd,
		    enum ibv_mw_type type)
{
	struct vb_object *mr = vb_create_mr(
		mr_pd, .len = BYTES,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_try_create_mw(mw_pd, type);
	enum ibv_wc_status s;
	struct vb_pair *p;
	struct vb_wr *bind;

	if (!mw)
		return;
	p = vb_connect(t, .depth = 4, .pd_b = qp_pd);
	bind = vb_try_bind_mw(p->b, mw, .mr = mr, .len = BYTES,
			      .access = IBV_ACCESS_REMOTE_WRITE);
	if (bind) {
		s = vb_expect_wc_among(bind, IBV_WC_MW_BIND_ERR,
				       IBV_WC_SUCCESS);
		/* Away with it first: some kernels wait long for a queue pair
		 * to which a window is bound. */
		vb_destroy(mw);
		vb_check(t, VB_FIND_WRONG_STATUS, s != IBV_WC_SUCCESS,
			 "a window of type %d was bound across PDs",
			 type == IBV_MW_TYPE_1 ? 1 : 2);
		vb_expect_state(p->b, IBV_QPS_ERR);
	}
	vb_expect_memory(mr);
}

static void run(struct vb_test *t, bool other_region)
{
	/* Of those of type 1 some devices look at less. */
	static const enum ibv_mw_type types[2][KINDS] = {
		{ IBV_MW_TYPE_2, IBV_MW_TYPE_1 },
		{ IBV_MW_TYPE_1, IBV_MW_TYPE_2 },
	};
	struct vb_object *one = vb_create_pd(vb_b(t));
	struct vb_object *two = vb_create_pd(vb_b(t));
	unsigned made = 0;

	for (unsigned i = 0; i < KINDS; i++) {
		enum ibv_mw_type type = types[other_region][i];
		struct vb_object *mw = vb_try_create_mw(one, type);

		if (!mw)
			continue;
		made++;
		vb_destroy(mw);
		if (other_region)
			refused(t, one, one, two, type);
		else
			refused(t, two, one, one, type);
	}
	if (!made)
		vb_skip(t, "the device makes no windows");
	vb_checked(t);
}

static void run_region(struct vb_test *t)
{
	run(t, true);
}

static void run_queue_pair(struct vb_test *t)
{
	run(t, false);
}

VB_CASE(pd_window_region, .id = "pd/window-region",
	.title = "a window cannot be bound to a region of another PD",
	.spec = "ibv_bind_mw(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_MW, .limit_ms = 10000,
	.rules = VB_LIST("PD-09", "WCS-06"), .defects = VB_LIST("MW-01"),
	.run = run_region);
VB_CASE(pd_window_queue_pair, .id = "pd/window-queue-pair",
	.title = "a window cannot be bound by a queue pair of another PD",
	.spec = "ibv_bind_mw(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_MW, .limit_ms = 10000,
	.rules = VB_LIST("PD-09", "WCS-06"), .defects = VB_LIST("MW-01"),
	.run = run_queue_pair);
