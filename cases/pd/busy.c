// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A PD is busy while anything of it lives, be it a region, a window, an SRQ or
 * a queue pair, works on after the refusal, and goes when the last has gone.
 */
#include <verbatim/case.h>

enum { BYTES = 64 };

static void busy(struct vb_object *pd, struct vb_object *what)
{
	if (!what)
		return;
	vb_destroy_refused(pd);
	vb_destroy(what);
}

static void run(struct vb_test *t)
{
	const struct ibv_device_attr *attr = vb_device_attr(vb_b(t));
	struct vb_object *pd = vb_create_pd(vb_b(t));
	struct vb_pair *p;
	struct vb_wr *recv;

	busy(pd, vb_create_mr(pd, .len = BYTES));
	if (attr->max_mw > 0)
		busy(pd, vb_try_create_mw(pd, IBV_MW_TYPE_1));
	if (attr->max_srq > 0)
		busy(pd, vb_create_srq(pd, .depth = VB_SET(2)));
	p = vb_connect(t, .depth = 2, .pd_b = pd);
	vb_destroy_refused(pd);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_expect_settled(p);
}

VB_CASE(pd_busy, .id = "pd/busy",
	.title = "a PD is busy while anything of it lives",
	.spec = "ibv_dealloc_pd(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PD-01", "DST-11"), .defects = VB_LIST("PD-01"),
	.run = run);
