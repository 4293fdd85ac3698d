// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receives of an SRQ belong to the PD of the SRQ, whatever that of the queue
 * pair; what a peer writes belongs to that of the queue pair.
 */
#include <verbatim/case.h>

enum { BYTES = 256 };

static void receives(struct vb_test *t, struct vb_object *srq_pd,
		     struct vb_object *qp_pd)
{
	struct vb_object *srq = vb_create_srq(srq_pd, .depth = VB_SET(4));
	struct vb_object *room = vb_create_mr(srq_pd, .len = BYTES);
	struct vb_pair *p =
		vb_connect(t, .depth = 4, .pd_b = qp_pd, .srq_b = srq);
	struct vb_wr *recv = vb_post_srq_recv(srq, .len = BYTES, .mr = room);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_expect_settled(p);
}

static void written(struct vb_test *t, struct vb_object *srq_pd,
		    struct vb_object *qp_pd, struct vb_object *mr_pd,
		    const char *scenario)
{
	struct vb_object *srq = vb_create_srq(srq_pd, .depth = VB_SET(4));
	struct vb_object *mr = vb_create_target(mr_pd, BYTES);
	struct vb_pair *p = vb_connect(
		t, .depth = 4, .pd_b = qp_pd, .srq_b = srq,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_WRITE) });
	struct vb_wr *recv = vb_post_srq_recv(srq, .len = BYTES);
	struct vb_wr *write = vb_post_write(p->a, .to = mr, .len = 64,
					    .imm = VB_SET(0x1234567));

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_allow_event(p->b, IBV_EVENT_QP_LAST_WQE_REACHED);
	if (scenario)
		vb_expect_scenario(t, scenario, write, NULL);
	else
		vb_expect_message(write, recv);
	vb_expect_memory(mr);
}

static void run(struct vb_test *t)
{
	struct vb_object *srq_pd = vb_create_pd(vb_b(t));
	struct vb_object *qp_pd = vb_create_pd(vb_b(t));

	written(t, srq_pd, qp_pd, qp_pd, NULL);
	written(t, srq_pd, qp_pd, srq_pd, "S15");
	receives(t, srq_pd, srq_pd);
	/* Last: some devices look at the queue pair's. */
	receives(t, srq_pd, qp_pd);
}

VB_CASE(pd_srq, .id = "pd/srq",
	.title = "receives are of the SRQ's PD, writes of the queue pair's",
	.spec = "InfiniBand: shared receive queues", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_SRQ | VB_NEED_RDMA | VB_NEED_IMM,
	.limit_ms = 10000, .rules = VB_LIST("PD-06", "PD-07", "WCS-10"),
	.defects = VB_LIST("PD-01"), .kills = VB_LIST("M34"), .run = run);
