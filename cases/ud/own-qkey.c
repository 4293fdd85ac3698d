// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * When the top bit of the Q_Key in a request is set, the datagram goes with
 * the Q_Key of its queue pair, whatever the other bits say.
 */
#include <verbatim/case.h>

enum { BYTES = 50 };

static void run(struct vb_test *t)
{
	const uint32_t keys[] = { 0x80000000, 0x80001234, 0xffffffff };
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
		struct vb_wr *send = vb_post_send(
			p->a, .len = BYTES - i, .remote_qkey = VB_SET(keys[i]));

		vb_expect_message(send, recv);
	}
	vb_expect_settled(p);
}

VB_CASE(ud_own_qkey, .id = "ud/own-qkey",
	.title = "a Q_Key with its top bit set stands for the queue pair's own",
	.spec = "InfiniBand: Q_Keys; ibv_post_send(3): remote_qkey",
	.needs = VB_NEED_UD, .limit_ms = 10000, .rules = VB_LIST("UD-05"),
	.run = run);
