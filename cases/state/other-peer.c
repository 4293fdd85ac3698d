// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair that was connected with one peer is reset and connected with
 * another: all that it sends goes there, and the old peer, which works still,
 * hears nothing more of it.
 */
#include <verbatim/case.h>

enum { BYTES = 200, DEPTH = 8, QUIET_MS = 5 };

/* Both are in RESET. */
static struct vb_pair *bring(struct vb_qp *a, struct vb_qp *b)
{
	struct vb_pair *p = vb_introduce(a, b);

	for (enum ibv_qp_state s = IBV_QPS_INIT; s <= IBV_QPS_RTS; s++) {
		vb_modify(a, s);
		vb_modify(b, s);
	}
	return p;
}

static void run(struct vb_test *t)
{
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH);
	struct vb_qp *first = vb_create_qp(vb_b(t), .depth = DEPTH);
	struct vb_qp *second = vb_create_qp(vb_b(t), .depth = DEPTH);
	struct vb_pair *p = bring(a, first);
	struct vb_wr *idle;

	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
	idle = vb_post_recv(first, .len = BYTES);
	vb_modify(a, IBV_QPS_RESET);
	p = bring(a, second);
	vb_stream(p, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
	vb_expect_pending(idle, QUIET_MS);
	vb_expect_untouched(idle);
	vb_expect_state(first, IBV_QPS_RTS);
	vb_expect_attributes(a);
	vb_expect_all_settled(t);
}

VB_CASE(state_other_peer, .id = "state/other-peer",
	.title = "a queue pair connected anew talks to its new peer alone",
	.spec = "ibv_modify_qp(3): dest_qp_num", .needs = VB_NEED_RC,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-14", "TDN-01", "TDN-06"),
	.defects = VB_LIST("QPSM-13", "ADDR-05"), .kills = VB_LIST("D83"),
	.run = run);
