// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * FETCH_ADDs of several queue pairs on one cell: their old values are one
 * chain, each addend once, and the last value lies in the cell.
 */
#include <verbatim/case.h>

enum { PAIRS = 4, EACH = 16, ROOM = 64, CELL = 24 };

static void run(struct vb_test *t)
{
	struct vb_pair *p[PAIRS];
	struct vb_wr *adds[PAIRS * EACH];
	struct vb_object *to;

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = EACH);
	to = vb_create_target(vb_qp_pd(p[0]->b), ROOM + 8);
	/* Regions begin anywhere; a cell is at a multiple of eight. */
	for (unsigned i = 0; i < PAIRS * EACH; i++)
		adds[i] = vb_post_fetch_add(
			p[i % PAIRS]->a, .to = to,
			.offset = CELL + (8 - vb_mr_address(to) % 8) % 8,
			.add = UINT64_C(0x8000000100000000) / 3 + i * 977);
	for (unsigned i = 0; i < PAIRS * EACH; i++)
		vb_expect_wc(adds[i], IBV_WC_SUCCESS);
	vb_expect_memory(to);
	vb_expect_all_settled(t);
}

VB_CASE(atomic_fetch_add, .id = "atomic/fetch-add",
	.title = "each FETCH_ADD sees what exactly one other has left",
	.spec = "ibv_post_send(3): IBV_WR_ATOMIC_FETCH_AND_ADD",
	.needs = VB_NEED_RC | VB_NEED_ATOMIC, .limit_ms = 10000,
	.rules = VB_LIST("ATO-01", "ATO-04", "ATO-06", "ATO-12"), .run = run);
