// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Datagrams by the hundred on every path; what is lost is said, not failed. */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_UD, path)
	{
		struct vb_pair *p =
			vb_connect(t, .type = IBV_QPT_UD, .path = path);
		struct vb_tally tally = vb_stream(p, .messages = 200,
						  .imm = true,
						  .direction = VB_BOTH_WAYS);

		vb_check(t, VB_FIND_WRONG_COUNT, tally.messages == 400,
			 "%llu datagrams were sent, must be 400",
			 (unsigned long long)tally.messages);
		vb_expect_settled(p);
	}
}

VB_CASE(ud_stream, .id = "ud/stream",
	.title = "a stream of datagrams, loss counted",
	.spec = "ibv_poll_cq(3)", .needs = VB_NEED_UD, .limit_ms = 30000,
	.rules = VB_LIST("UD-01", "UD-12", "UD-13"), .run = run);
