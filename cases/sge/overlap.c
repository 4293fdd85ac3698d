// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pieces that are gathered may overlap each other and stand in any order: what
 * is sent is each of them after the other.
 */
#include <verbatim/case.h>

enum { ROOM = 4096, SHAPES = 4, SGES = 4 };

static const struct {
	uint32_t count, at[SGES], bytes[SGES];
} shapes[SHAPES] = {
	{ 2, { 0, 0 }, { 800, 800 } },
	{ 3, { 2000, 1000, 0 }, { 1000, 1000, 1000 } },
	{ 4, { 0, 8, 16, 24 }, { 1000, 1000, 1000, 1000 } },
	{ 4, { 64, 0, 64, 0 }, { 8, 2000, 8, 1000 } },
};

static void gather(struct vb_test *t, struct vb_pair *p, unsigned shape)
{
	const uint32_t *at = shapes[shape].at, *bytes = shapes[shape].bytes;
	struct vb_object *from = vb_create_mr(vb_qp_pd(p->a), .len = ROOM);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_layout places = { shapes[shape].count, at };
	struct vb_layout layout = { shapes[shape].count, bytes };
	uint64_t is[ROOM / 8], was[ROOM / 8];
	uint32_t here = 0;

	vb_expect_wc(vb_post_write(p->a, .to = to, .mr = from, .as_is = true,
				   .at = places, .layout = layout),
		     IBV_WC_SUCCESS);
	/* A READ behind it makes sure that it is there. */
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 8), IBV_WC_SUCCESS);
	vb_load_words(from, 0, was, ROOM / 8);
	vb_load_words(to, 0, is, ROOM / 8);
	for (uint32_t i = 0; i < layout.count; i++)
		for (uint32_t k = 0; k < bytes[i]; k += 8, here += 8)
			vb_check(t, VB_FIND_WRONG_CONTENT,
				 is[here / 8] == was[(at[i] + k) / 8],
				 "shape %u: bytes %u to %u are not those at %u "
				 "of the buffer, of piece %u",
				 shape, here, here + 7, at[i] + k, i);
	vb_expect_memory(to);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = SGES);

	for (unsigned i = 0; i < SHAPES; i++)
		gather(t, p, i);
	vb_expect_settled(p);
}

VB_CASE(sge_overlap, .id = "sge/overlap",
	.title = "pieces that overlap are gathered one after the other",
	.spec = "ibv_post_send(3): sg_list", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 10000, .rules = VB_LIST("SGE-08", "SGE-01"), .run = run);
