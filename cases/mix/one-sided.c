// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* SENDs, WRITEs with and without immediate, and READs take turns. */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .sges = 2);

	vb_stream(p, .messages = 200, .sges = 2, .direction = VB_BOTH_WAYS,
		  .mix = VB_MIX_WRITE | VB_MIX_WRITE_IMM | VB_MIX_READ,
		  .signal_every = 3);
	vb_stream(p, .messages = 100, .mix = VB_MIX_ONE_SIDED, .no_send = true,
		  .list = 4);
	vb_expect_settled(p);
}

VB_CASE(mix_one_sided, .id = "mix/one-sided",
	.title = "one-sided operations between the messages of a stream",
	.spec = "ibv_post_send(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 30000,
	.rules = VB_LIST("RMA-02", "RMA-10", "CMP-01", "MSG-11"), .run = run);
