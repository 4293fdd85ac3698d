// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Verbs drawn at random on both ends, right ones and wrong ones, on
 * UD pairs: datagrams of up to the path MTU.
 *
 * Whatever their order, each call is taken or refused as it must be, each work
 * request completes as it may, and memory holds what it must.
 */
#include <verbatim/case.h>
#include <verbatim/walk.h>

static void run(struct vb_test *t)
{
	vb_walk(t, VB_WALK_UD);
}

VB_CASE(walk_ud, .id = "walk/ud",
	.title = "UD: random verbs do what the model allows",
	.spec = "all groups of the rules, by the model of states and statuses",
	.needs = VB_NEED_UD, .limit_ms = 180000, .limit_us_step = 20000,
	.fixed = VB_PATH_SRQ | VB_PATH_EXTENDED | VB_PATH_BUILDER,
	.rules = VB_LIST("TDN-08", "CMP-01", "CMP-02", "QPS-02", "CMP-23"),
	.run = run);
