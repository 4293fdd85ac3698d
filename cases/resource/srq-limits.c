// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An SRQ has what was asked for at least, and one above the limits is refused,
 * which leaves nothing behind.  A queue pair that takes its receives from an
 * SRQ is not asked about a receive queue of its own.
 */
#include <limits.h>
#include <verbatim/case.h>

enum { BYTES = 64 };

static void capacity(struct vb_test *t, struct vb_object *pd, uint32_t depth,
		     uint32_t sges)
{
	struct vb_object *srq =
		vb_create_srq(pd, .depth = VB_SET(depth), .sges = sges);
	struct ibv_srq_attr now = vb_query_srq(srq);

	vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
		 vb_srq_attr(srq)->max_wr >= depth &&
			 vb_srq_attr(srq)->max_sge >= sges &&
			 now.max_wr >= depth && now.max_sge >= sges,
		 "an SRQ of %u x %u was asked for, it has %u x %u, and a query "
		 "says %u x %u",
		 depth, sges, vb_srq_attr(srq)->max_wr,
		 vb_srq_attr(srq)->max_sge, now.max_wr, now.max_sge);
	vb_destroy(srq);
}

static void run(struct vb_test *t)
{
	const struct ibv_device_attr *a = vb_device_attr(vb_b(t));
	uint32_t most = (uint32_t)a->max_srq_wr;
	uint32_t sges = (uint32_t)a->max_srq_sge;
	struct vb_object *pd = vb_create_pd(vb_b(t)), *srq, *room;
	struct vb_pair *p;
	struct vb_wr *recv;

	capacity(t, pd, 1, 1);
	capacity(t, pd, 3, 1);
	capacity(t, pd, 100, sges < 2 ? sges : 2);
	capacity(t, pd, most < 4096 ? most : 4096, 1);
	capacity(t, pd, 1, sges);
	if (most < INT_MAX)
		vb_create_srq_refused(pd, .depth = VB_SET(most + 1));
	vb_create_srq_refused(pd, .depth = VB_SET(1), .sges = sges + 1);
	srq = vb_create_srq(pd, .depth = VB_SET(4));
	p = vb_join(vb_create_qp(vb_a(t), .depth = 4),
		    vb_create_qp(vb_b(t), .pd = pd, .srq = srq,
				 .send_depth = VB_SET(4),
				 .recv_depth = VB_SET(INT_MAX)));
	room = vb_create_mr(pd, .len = BYTES);
	recv = vb_post_srq_recv(srq, .len = BYTES, .mr = room);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_destroy_refused(srq);
	vb_destroy_qp(p->b);
	vb_destroy(srq);
	vb_destroy(room);
	/* The refusals have left nothing. */
	vb_destroy(pd);
}

VB_CASE(resource_srq_limits, .id = "resource/srq-limits",
	.title = "an SRQ has what was asked for, within the limits",
	.spec = "ibv_create_srq(3), ibv_create_qp(3)",
	.needs = VB_NEED_RC | VB_NEED_SRQ, .limit_ms = 10000,
	.rules = VB_LIST("RES-13", "RES-17", "RES-27"),
	.defects = VB_LIST("SRQ-19"), .run = run);
