// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A datagram with another Q_Key than its receiver's is dropped without a word;
 * its sender completes, and the next right one arrives in its place; by each
 * way of posting.
 */
#include <verbatim/case.h>

enum { BYTES = 100, QUIET_MS = 5 };

static void attempt(struct vb_test *t, unsigned path)
{
	struct vb_pair *p =
		vb_connect(t, .type = IBV_QPT_UD, .depth = 4, .path = path);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *wrong =
		vb_post_send(p->a, .len = BYTES, .remote_qkey = VB_SET(0x1234));
	struct vb_wr *right;

	vb_expect_wc(wrong, IBV_WC_SUCCESS);
	vb_expect_dropped(wrong, QUIET_MS);
	vb_expect_untouched(recv);
	right = vb_post_send(p->a, .len = BYTES - 1, .imm = VB_SET(77));
	vb_expect_message(right, recv);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_UD, path)
	attempt(t, path);
}

VB_CASE(ud_qkey, .id = "ud/qkey",
	.title = "a datagram with a wrong Q_Key is dropped",
	.spec = "ibv_post_send(3): remote_qkey", .dimension = VB_FAULT,
	.needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("CMP-23", "UD-04", "UD-16"), .kills = VB_LIST("M55"),
	.run = run);
