// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A QP with both queues full that is moved to ERR gives every request back,
 * flushed, once, in the order of its queue, signaled or not.
 *
 * The peer has no receive, so that no send can be done before.
 */
#include <verbatim/case.h>

enum { DEPTH_MAX = 512, BYTES = 70 };

/* @before: messages that both queues have seen, which moves their rings. */
static void flush(struct vb_test *t, uint32_t depth, uint32_t before)
{
	struct vb_pair *p = vb_connect(t, .depth = depth,
				       .attr = { .rnr_retry = VB_SET(7) });
	uint32_t sends_max = vb_qp_cap(p->a)->max_send_wr;
	uint32_t recvs_max = vb_qp_cap(p->a)->max_recv_wr;
	struct vb_wr *recvs[DEPTH_MAX], *sends[DEPTH_MAX];

	sends_max = sends_max < DEPTH_MAX ? sends_max : DEPTH_MAX;
	recvs_max = recvs_max < DEPTH_MAX ? recvs_max : DEPTH_MAX;
	for (uint32_t i = 0; i < before; i++) {
		struct vb_wr *there = vb_post_recv(p->b, .len = BYTES);
		struct vb_wr *here = vb_post_recv(p->a, .len = BYTES);

		vb_expect_message(vb_post_send(p->a, .len = BYTES), there);
		vb_expect_message(vb_post_send(p->b, .len = BYTES), here);
	}
	for (uint32_t i = 0; i < recvs_max; i++)
		recvs[i] = vb_post_recv(p->a, .len = BYTES);
	for (uint32_t i = 0; i < sends_max; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES,
					.unsignaled = i % 3 != 1);
	vb_modify(p->a, IBV_QPS_ERR);
	for (uint32_t i = 0; i < sends_max; i++)
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
	for (uint32_t i = 0; i < recvs_max; i++)
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	flush(t, 1, 0);
	flush(t, 5, 0);
	flush(t, 5, 2);
	flush(t, 32, 0);
	flush(t, 32, 21);
}

VB_CASE(flush_in_order, .id = "flush/in-order",
	.title = "full queues are flushed once and in order",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states, Error",
	.needs = VB_NEED_RC, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("WCS-05", "CMP-09", "QPS-15", "CMP-26", "CMP-27",
			 "CMP-28", "DST-06"),
	.defects = VB_LIST("FLUSH-02", "FLUSH-07", "FLUSH-08", "IMM-09"),
	.kills = VB_LIST("M16", "M24"), .run = run);
