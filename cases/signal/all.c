// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A QP created with sq_sig_all signals every send, flag or no flag, posted
 * alone or in a list.
 */
#include <verbatim/case.h>

enum { COUNT = 8 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .sig_all = true);
	struct vb_wr *recvs[COUNT], *sends[COUNT];
	struct vb_send_args list[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		recvs[i] = vb_post_recv(p->b, .len = 64);
		sends[i] = vb_post_send(p->a, .len = 64 - i,
					.unsignaled = i % 3 != 0);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_message(sends[i], recvs[i]);
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		recvs[i] = vb_post_recv(p->b, .len = 64);
		list[i] = (struct vb_send_args){ .len = 64 - i,
						 .unsignaled = i % 3 != 0 };
	}
	vb_post_send_list(p->a, COUNT, list, COUNT, sends);
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_message(sends[i], recvs[i]);
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
	}
	vb_expect_settled(p);
}

VB_CASE(signal_all, .id = "signal/all",
	.title = "sq_sig_all signals every send, in lists too",
	.spec = "ibv_create_qp(3): sq_sig_all", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("CMP-06", "CMP-01", "CMP-02"),
	.defects = VB_LIST("IMM-11"), .kills = VB_LIST("M09"), .run = run);
