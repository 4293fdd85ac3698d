// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several threads poll one CQ at once: each completion is given to one of
 * them, none is lost and none given twice.
 */
#include <verbatim/case.h>

enum { THREADS = 4, COUNT = 400, ROUNDS = 5 };

static void run(struct vb_test *t)
{
	static struct vb_wr *wrs[COUNT];
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(COUNT));
	struct vb_qp *qp = vb_create_qp(vb_a(t), .send_cq = cq, .recv_cq = cq,
					.send_depth = VB_SET(1),
					.recv_depth = VB_SET(COUNT));

	for (unsigned round = 0; round < ROUNDS; round++) {
		vb_modify(qp, IBV_QPS_INIT);
		for (unsigned i = 0; i < COUNT; i++)
			wrs[i] = vb_post_recv(qp, .len = 8);
		vb_hold_cq(cq);
		vb_modify(qp, IBV_QPS_ERR);
		vb_poll_by_threads(cq, THREADS, COUNT);
		vb_release_cq(cq);
		for (unsigned i = 0; i < COUNT; i++)
			vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
		vb_modify(qp, IBV_QPS_RESET);
	}
	vb_expect_qp_settled(qp);
}

VB_CASE(cq_several_pollers, .id = "cq/several-pollers",
	.title = "each completion goes to one of several polling threads",
	.spec = "ibv_poll_cq(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("CQ-15", "CMP-01"),
	.defects = VB_LIST("CQ-01"), .run = run);
