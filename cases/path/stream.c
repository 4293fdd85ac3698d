// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The standard traffic by every way that the device has. */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	{
		struct vb_pair *p = vb_connect(t, .path = path, .sges = 3,
					       .inline_max = 32);

		vb_stream(p, .messages = 100, .sges = 3, .imm = true,
			  .inlined = true, .signal_every = 4, .list = 3,
			  .direction = VB_BOTH_WAYS);
		vb_expect_settled(p);
	}
}

VB_CASE(path_stream, .id = "path/stream",
	.title = "the standard traffic by each way of posting and polling",
	.spec = "ibv_wr_post(3), ibv_create_cq_ex(3)", .needs = VB_NEED_RC,
	.limit_ms = 30000, .rules = VB_LIST("MSG-01", "CMP-01", "PST-01"),
	.kills = VB_LIST("D70"), .run = run);
