// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Verbs drawn at random on both ends, right ones and wrong ones, on
 * pairs of every kind beside each other, with shared receive queues.
 *
 * Whatever their order, each call is taken or refused as it must be, each work
 * request completes as it may, and memory holds what it must.
 */
#include <verbatim/case.h>
#include <verbatim/walk.h>

static void run(struct vb_test *t)
{
	vb_walk(t, VB_WALK_RC | VB_WALK_UC | VB_WALK_UD | VB_WALK_ATOMIC |
			   VB_WALK_SRQ);
}

VB_CASE(walk_mixed, .id = "walk/mixed",
	.title =
		"all kinds beside each other: random verbs do what the model allows",
	.spec = "all groups of the rules, by the model of states and statuses",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_UC | VB_NEED_UD,
	.limit_ms = 180000, .limit_us_step = 20000,
	.fixed = VB_PATH_SRQ | VB_PATH_EXTENDED | VB_PATH_BUILDER,
	.rules = VB_LIST("TDN-05", "TDN-08", "CMP-01", "CMP-10", "SRQ-01",
			 "SRQ-02"),
	.run = run);
