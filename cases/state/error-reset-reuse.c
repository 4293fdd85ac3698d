// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * From ERR over RESET back to RTS a QP is as new: old work requests never
 * appear, the whole depth of both queues can be used, old PSNs are forgotten.
 *
 * Each life ends in the middle of work: receives posted, a large message on
 * its way or cut off.
 */
#include <verbatim/case.h>

enum { LIVES = 4, DEPTH = 8, LARGE = 1 << 16 };

static void full_queues(struct vb_pair *p)
{
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_recv(p->b, .len = 100);
	for (unsigned i = 0; i < DEPTH; i++)
		sends[i] = vb_post_send(p->a, .len = 100 - i);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(sends[i], recvs[i]);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);

	for (unsigned life = 0; life < LIVES; life++) {
		full_queues(p);
		vb_post_recv(p->b, .len = LARGE);
		vb_post_recv(p->b, .len = LARGE);
		vb_post_recv(p->a, .len = 16);
		vb_post_send(p->a, .len = LARGE);
		vb_post_send(p->a, .len = 16, .unsignaled = true);
		vb_modify(p->a, IBV_QPS_ERR);
		vb_modify(p->b, IBV_QPS_ERR);
		vb_reconnect(p);
	}
	full_queues(p);
	vb_stream(p, .messages = 32, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_error_reset_reuse, .id = "state/error-reset-reuse",
	.title = "ERR, RESET, RTS: a QP is as good as new",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states", .needs = VB_NEED_RC,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-14", "TDN-01", "TDN-06", "DST-07"),
	.defects = VB_LIST("QPSM-13", "FLUSH-02", "WRID-09"),
	.kills = VB_LIST("M33"), .run = run);
