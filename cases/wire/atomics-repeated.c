// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * As many atomics as may be outstanding are executed, and all their answers are
 * lost: each of them comes again, the oldest too, and each is answered with
 * what it found the first time.
 */
#include <verbatim/case.h>

enum { OUT = 4, TIMEOUT = 13 };

static void run(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = OUT,
			   .attr = { .timeout = VB_SET(TIMEOUT),
				     .retry = VB_SET(7),
				     .max_rd_atomic = VB_SET(OUT),
				     .max_dest_rd_atomic = VB_SET(OUT) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), 64);
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;
	struct vb_wr *wrs[OUT];

	for (unsigned lost = 1; lost <= OUT; lost++) {
		vb_wire_spoil(t, "drop:op=RC_ATOMIC_ACK,count=%u", lost);
		for (unsigned i = 0; i < OUT; i++)
			wrs[i] = vb_post_fetch_add(p->a, .to = to, .offset = at,
						   .add = 1 + i);
		for (unsigned i = 0; i < OUT; i++)
			vb_expect_wc(wrs[i], IBV_WC_SUCCESS);
		for (unsigned i = 1; i < OUT; i++)
			vb_check(t, VB_FIND_WRONG_CONTENT,
				 vb_result(wrs[i]) == vb_result(wrs[i - 1]) + i,
				 "FETCH_ADD %u of %d, of which %u answers "
				 "were lost, brought 0x%llx, the one before "
				 "it had left 0x%llx",
				 i, OUT, lost,
				 (unsigned long long)vb_result(wrs[i]),
				 (unsigned long long)vb_result(wrs[i - 1]) + i);
		vb_wire_heal(t);
	}
	vb_expect_memory(to);
	vb_expect_settled(p);
}

VB_CASE(wire_atomics_repeated, .id = "wire/atomics-repeated",
	.title = "all outstanding atomics whose answers are lost are answered "
		 "again",
	.spec = "InfiniBand: duplicate atomic requests", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_ATOMIC | VB_NEED_RETRY |
		 VB_NEED_FAULTS,
	.limit_ms = 15000, .rules = VB_LIST("ATO-09", "ATO-12", "RNR-09"),
	.defects = VB_LIST("ATOM-01"), .kills = VB_LIST("D75"), .run = run);
