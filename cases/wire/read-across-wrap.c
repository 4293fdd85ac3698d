// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The answer of a READ crosses the wrap of the PSNs, and one packet of it is
 * lost: before the wrap, at it, behind it.  What is asked for again lies on the
 * other side of the wrap than the READ began, and is brought all the same.
 */
#include <verbatim/case.h>

enum { MTU = 1024, PACKETS = 8, BEFORE = 4, TIMEOUT = 13, WRAP = 1 << 24 };

static void lose(struct vb_test *t, unsigned nth)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2,
			   .attr = { .mtu = VB_SET(MTU),
				     .timeout = VB_SET(TIMEOUT),
				     .retry = VB_SET(7) },
			   .attr_a = { .sq_psn = VB_SET(WRAP - BEFORE) },
			   .attr_b = { .rq_psn = VB_SET(WRAP - BEFORE) });
	struct vb_object *from =
		vb_create_target(vb_qp_pd(p->b), PACKETS * MTU);
	struct vb_wr *reads[2];

	/* MIDDLE number 1 is the second packet. */
	vb_wire_spoil(t, "drop:op=RC_READ_RESP_MIDDLE,nth=%u", nth);
	for (unsigned i = 0; i < 2; i++)
		reads[i] = vb_post_read(p->a, .to = from, .len = PACKETS * MTU);
	for (unsigned i = 0; i < 2; i++)
		vb_expect_wc(reads[i], IBV_WC_SUCCESS);
	vb_check(t, VB_FIND_WRONG_COUNT, vb_wire_acted(t, 0) == 1,
		 "no packet of the answer was lost");
	vb_wire_heal(t);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
	vb_destroy(from);
}

static void run(struct vb_test *t)
{
	for (unsigned nth = 1; nth <= PACKETS - 2; nth++)
		lose(t, nth);
}

VB_CASE(wire_read_across_wrap, .id = "wire/read-across-wrap",
	.title =
		"a READ across the wrap of PSNs survives a loss on either side",
	.spec = "InfiniBand: 24 bit packet sequence numbers; duplicate "
		"requests",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_FAULTS,
	.limit_ms = 15000, .rules = VB_LIST("CON-01", "RNR-09", "RMA-13"),
	.defects = VB_LIST("PSN-01", "RETRY-08", "READ-04"),
	.kills = VB_LIST("D74"), .run = run);
