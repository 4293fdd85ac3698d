// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * QP numbers have 24 bits, are neither 0 nor 1, and no two live QPs of a
 * device share one.  The same for the keys of live MRs.  Of iWARP no number is
 * kept for management.
 */
#include <verbatim/case.h>

enum { COUNT = 48, QPN_BITS = 24 };

static void check_qp(struct vb_test *t, struct vb_qp *const *qps, unsigned n)
{
	bool iwarp = vb_transport(vb_a(t)) == IBV_TRANSPORT_IWARP;
	uint32_t qpn = vb_qp_num(qps[n]), least = iwarp ? 0 : 2;

	vb_check(t, VB_FIND_WRONG_ATTRIBUTE, qpn >= least && !(qpn >> QPN_BITS),
		 "QP number 0x%x, it must be in %u..0xffffff", qpn, least);
	for (unsigned i = 0; i < n; i++)
		vb_check(t, VB_FIND_WRONG_ATTRIBUTE, vb_qp_num(qps[i]) != qpn,
			 "two live QPs have the number 0x%x", qpn);
}

static void run(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(16));
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_object *mrs[COUNT];
	struct vb_qp *qps[COUNT];

	for (unsigned n = 0; n < COUNT; n++) {
		qps[n] = vb_create_qp(vb_a(t), .send_cq = cq, .recv_cq = cq,
				      .depth = 1);
		check_qp(t, qps, n);
		mrs[n] = vb_create_mr(pd, .len = 64);
		for (unsigned i = 0; i < n; i++)
			vb_check(t, VB_FIND_WRONG_ATTRIBUTE,
				 vb_mr_lkey(mrs[i]) != vb_mr_lkey(mrs[n]),
				 "two live MRs have the lkey 0x%x",
				 vb_mr_lkey(mrs[n]));
	}
	for (unsigned n = 0; n < COUNT; n++) {
		vb_destroy_qp(qps[n]);
		vb_destroy(mrs[n]);
	}
	vb_destroy(cq);
	vb_destroy(pd);
}

VB_CASE(resource_numbers_unique, .id = "resource/numbers-unique",
	.title = "QP numbers and memory keys are unique among the living",
	.spec = "ibv_create_qp(3), ibv_reg_mr(3)", .needs = VB_NEED_RC,
	.limit_ms = 15000, .rules = VB_LIST("RES-14", "RES-15"),
	.defects = VB_LIST("WRID-03", "WRID-10"), .run = run);
