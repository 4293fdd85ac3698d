// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A QP goes to ERR in the middle of a burst, at another moment each time:
 * whatever was posted ends, done or flushed, and nothing is done behind the
 * first flush.
 */
#include <verbatim/case.h>

enum { ROUNDS = 10, COUNT = 24, BYTES = 6000 };

static void burst(struct vb_pair *p, unsigned ready)
{
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	if (ready)
		vb_expect_wc(sends[ready - 1], IBV_WC_SUCCESS);
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc_among(sends[i], IBV_WC_SUCCESS,
				   IBV_WC_WR_FLUSH_ERR);
	vb_modify(p->b, IBV_QPS_ERR);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_wc_among(recvs[i], IBV_WC_SUCCESS,
				   IBV_WC_WR_FLUSH_ERR);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT);

	for (unsigned i = 0; i < ROUNDS; i++) {
		burst(p, (unsigned)vb_draw(t, 0, COUNT / 2));
		vb_expect_settled(p);
		vb_reconnect(p);
	}
	vb_stream(p, .messages = 16, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(flush_while_running, .id = "flush/while-running",
	.title = "ERR in the middle of a burst loses and repeats nothing",
	.spec = "InfiniBand: QP states, Error", .needs = VB_NEED_RC,
	.limit_ms = 15000,
	.rules = VB_LIST("QPS-15", "CMP-01", "CMP-28", "TDN-08"),
	.defects = VB_LIST("FLUSH-05", "FLUSH-08", "FLUSH-15"),
	.kills = VB_LIST("M23", "M33"), .run = run);
