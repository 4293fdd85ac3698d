// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Messages of random sizes, gathered from and scattered to random pieces,
 * different on both sides, 32 in flight.
 */
#include <verbatim/case.h>

enum { SGES = 6 };

static void run(struct vb_test *t)
{
	uint32_t max = (uint32_t)vb_device_attr(vb_a(t))->max_sge;
	uint32_t sges = SGES < max ? SGES : max;
	struct vb_pair *p = vb_connect(t, .depth = 32, .sges = sges);

	vb_stream(p, .messages = 128, .inflight = 32, .sges = sges,
		  .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(sge_random_splits, .id = "sge/random-splits",
	.title = "random pieces on both sides make up the same message",
	.spec = "ibv_post_send(3), ibv_post_recv(3): sg_list",
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("SGE-01", "SGE-02", "SGE-03", "SGE-07", "MSG-03"),
	.defects = VB_LIST("SGE-01", "SGE-02", "SGE-09"), .run = run);
