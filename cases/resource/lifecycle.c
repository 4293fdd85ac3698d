// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A PD, an MR, a CQ and a QP are created, serve one message in each direction,
 * and are destroyed in order: what refers to others goes first.
 *
 * Every one of them is the case's own, so that nothing else can be what keeps
 * an object alive or busy.
 */
#include <verbatim/case.h>

enum { BYTES = 200 };

struct set {
	struct vb_object *pd, *mr, *cq;
	struct vb_qp *qp;
};

static struct set create(struct vb_end *e)
{
	struct set s = { .pd = vb_create_pd(e) };

	s.mr = vb_create_mr(s.pd, .len = BYTES);
	s.cq = vb_create_cq(e, .cqe = VB_SET(16));
	s.qp = vb_create_qp(e, .pd = s.pd, .send_cq = s.cq, .recv_cq = s.cq,
			    .depth = 2);
	return s;
}

static void destroy(struct set *s)
{
	vb_destroy_qp(s->qp);
	vb_destroy(s->mr);
	vb_destroy(s->cq);
	vb_destroy(s->pd);
}

static void message(struct vb_qp *from, struct vb_object *source,
		    struct vb_qp *to, struct vb_object *target)
{
	struct vb_wr *recv = vb_post_recv(to, .len = BYTES, .mr = target);
	struct vb_wr *send = vb_post_send(from, .len = BYTES, .mr = source);

	vb_expect_message(send, recv);
}

static void run(struct vb_test *t)
{
	struct set a = create(vb_a(t)), b = create(vb_b(t));
	struct vb_pair *p = vb_join(a.qp, b.qp);

	message(a.qp, a.mr, b.qp, b.mr);
	message(b.qp, b.mr, a.qp, a.mr);
	vb_expect_settled(p);
	destroy(&a);
	destroy(&b);
	vb_expect_all_settled(t);
}

VB_CASE(resource_lifecycle, .id = "resource/lifecycle",
	.title = "PD, MR, CQ and QP are created, used and destroyed in order",
	.spec = "ibv_alloc_pd(3), ibv_reg_mr(3), ibv_create_cq(3), "
		"ibv_create_qp(3)",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("RES-01", "PD-01", "DST-01", "DST-03", "DST-09"),
	.defects = VB_LIST("KEY-02", "DISC-06", "CQ-14"), .run = run);
