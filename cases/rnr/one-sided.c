// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * WRITEs, READs and atomics take no receive, and are not told to wait for one:
 * without any posted, and with rnr_retry 0, all of them succeed.
 */
#include <verbatim/case.h>

enum { COUNT = 48, BYTES = 512 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4, .attr = { .rnr_retry = VB_SET(0) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);
	uint32_t len;

	for (unsigned i = 0; i < COUNT; i++) {
		len = (uint32_t)vb_draw(t, 1, BYTES);
		vb_expect_wc(vb_post_write(p->a, .to = to, .len = len),
			     IBV_WC_SUCCESS);
		vb_expect_wc(vb_post_read(p->a, .to = to, .len = len),
			     IBV_WC_SUCCESS);
		if (vb_atomic_access(vb_qp_pd(p->b)))
			vb_expect_wc(vb_post_fetch_add(p->a, .to = to,
						       .add = i),
				     IBV_WC_SUCCESS);
	}
	vb_expect_memory(to);
	vb_expect_settled(p);
}

VB_CASE(rnr_one_sided, .id = "rnr/one-sided",
	.title = "WRITEs, READs and atomics wait for no receive",
	.spec = "InfiniBand: RNR NAK", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("RNR-06"), .defects = VB_LIST("RNR-04"),
	.kills = VB_LIST("D24"), .run = run);
