// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Verbs drawn at random on both ends, right ones and wrong ones, on
 * RC pairs: SEND, WRITE, READ and atomics, states and errors.
 *
 * Whatever their order, each call is taken or refused as it must be, each work
 * request completes as it may, and memory holds what it must.
 */
#include <verbatim/case.h>
#include <verbatim/walk.h>

static void run(struct vb_test *t)
{
	vb_walk(t, VB_WALK_RC | VB_WALK_ATOMIC);
}

VB_CASE(walk_rc, .id = "walk/rc",
	.title = "RC: random verbs do what the model allows",
	.spec = "all groups of the rules, by the model of states and statuses",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 180000,
	.limit_us_step = 20000,
	.fixed = VB_PATH_SRQ | VB_PATH_EXTENDED | VB_PATH_BUILDER,
	.rules = VB_LIST("TDN-08", "CMP-01", "CMP-02", "CMP-03", "CMP-25",
			 "QPS-02", "QPS-15", "QPS-16", "DST-07"),
	.run = run);
