// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A READ scatters into as many entries as the device says, all with data; one
 * more than the queue pair has is refused when posted.
 */
#include <verbatim/case.h>

enum { SGES_MAX = 31, PIECE = 70 };

static void run(struct vb_test *t)
{
	const struct ibv_device_attr *attr = vb_device_attr(vb_a(t));
	uint32_t max = attr->max_sge_rd > 0 && attr->max_sge_rd < attr->max_sge
			       ? (uint32_t)attr->max_sge_rd
			       : (uint32_t)attr->max_sge;
	struct vb_object *to;
	struct vb_pair *p;
	uint32_t cap;

	max = max < SGES_MAX ? max : SGES_MAX;
	p = vb_connect(t, .depth = 4, .sges = max);
	cap = vb_qp_cap(p->a)->max_send_sge;
	to = vb_create_target(vb_qp_pd(p->b), PIECE * (SGES_MAX + 1));
	for (uint32_t i = 1; i <= max; i++)
		vb_expect_wc(vb_post_read(p->a, .to = to, .len = PIECE * max,
					  .sges = i),
			     IBV_WC_SUCCESS);
	if (cap <= SGES_MAX)
		vb_post_send_refused(p->a, .op = VB_READ, .to = to,
				     .len = PIECE * SGES_MAX, .sges = cap + 1);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = PIECE, .sges = max),
		     IBV_WC_SUCCESS);
	vb_expect_settled(p);
}

VB_CASE(sge_read_limit, .id = "sge/read-limit",
	.title = "a READ scatters into as many entries as there may be",
	.spec = "ibv_query_device(3): max_sge_rd",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("SGE-09", "PST-04", "SGE-02"), .kills = VB_LIST("D07"),
	.run = run);
