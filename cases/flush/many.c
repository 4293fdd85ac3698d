// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Hundreds of requests are outstanding on both queues when their queue pair goes
 * to ERR: each is flushed, once and in its order, however they are polled.
 */
#include <verbatim/case.h>

enum { DEPTH = 300, BYTES = 16 };

static void run(struct vb_test *t)
{
	static struct vb_wr *sends[DEPTH], *recvs[DEPTH];
	struct vb_pair *p = vb_connect(t, .depth = DEPTH,
				       .attr = { .rnr_retry = VB_SET(7) });

	/* No receive meets these sends, and no send these receives. */
	for (unsigned i = 0; i < DEPTH; i++) {
		recvs[i] = vb_post_recv(p->a, .len = BYTES);
		sends[i] = vb_post_send(p->a, .len = BYTES,
					.unsignaled = i % 3 == 1);
	}
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < DEPTH; i++) {
		vb_expect_wc(sends[i], IBV_WC_WR_FLUSH_ERR);
		vb_expect_wc(recvs[i], IBV_WC_WR_FLUSH_ERR);
	}
	vb_expect_settled(p);
}

VB_CASE(flush_many, .id = "flush/many",
	.title = "hundreds of requests are flushed to the last one",
	.spec = "InfiniBand: QP states, Error",
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-15", "CMP-26", "CMP-27", "CMP-28", "TDN-08"),
	.defects = VB_LIST("FLUSH-07", "FLUSH-20"), .kills = VB_LIST("D95"),
	.run = run);
