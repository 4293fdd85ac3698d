// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * With a CQ for sends and another for receives each completion, and after an
 * error each flush, is found on the one that is its queue's.
 */
#include <verbatim/case.h>

enum { COUNT = 4, BYTES = 80 };

/* One that fails by itself, and not for its queue pair. */
static void failing(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .cq = VB_CQ_SPLIT);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES + 1);

	vb_expect_scenario(t, "S02", send, recv);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .cq = VB_CQ_SPLIT,
				       .attr = { .rnr_retry = VB_SET(7) });
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	vb_stream(p, .messages = 32, .direction = VB_BOTH_WAYS);
	/* No receive at b: these sends cannot be done. */
	for (unsigned i = 0; i < COUNT; i++) {
		recvs[i] = vb_post_recv(p->a, .len = BYTES);
		sends[i] =
			vb_post_send(p->a, .len = BYTES, .unsignaled = i % 2);
	}
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
	}
	vb_expect_settled(p);
	failing(t);
}

VB_CASE(shared_split_cqs, .id = "shared/split-cqs",
	.title = "completions and flushes come on the CQ of their queue",
	.spec = "ibv_create_qp(3): send_cq, recv_cq", .needs = VB_NEED_RC,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CMP-01", "CMP-26", "CMP-27", "QPS-15"),
	.defects = VB_LIST("FLUSH-03", "FLUSH-13"),
	.kills = VB_LIST("M21", "D73"), .run = run);
