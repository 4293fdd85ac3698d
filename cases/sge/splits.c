// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A gather list is sent in its order, a receive's list filled in its order,
 * and neither side's pieces need to agree with the other's: 1 to 1, many to 1,
 * 1 to many, uneven to uneven, across packets.  One completion for each.
 */
#include <verbatim/case.h>

enum { BYTES = 9000 };

static void run(struct vb_test *t)
{
	const struct vb_layout shapes[] = {
		VB_LAYOUT(9000),
		VB_LAYOUT(1, 8999),
		VB_LAYOUT(8999, 1),
		VB_LAYOUT(16, 4080, 4904),
		VB_LAYOUT(4095, 2, 4903),
		VB_LAYOUT(3, 5, 7, 8985),
		VB_LAYOUT(2250, 2250, 2250, 2250),
		VB_LAYOUT(1, 1, 1, 8997),
	};
	enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };
	struct vb_pair *p = vb_connect(t, .depth = SHAPES, .sges = 4);
	struct vb_wr *recvs[SHAPES], *sends[SHAPES];

	for (unsigned i = 0; i < SHAPES; i++) {
		for (unsigned k = 0; k < SHAPES; k++)
			recvs[k] = vb_post_recv(p->b, .layout = shapes[k]);
		for (unsigned k = 0; k < SHAPES; k++)
			sends[k] = vb_post_send(
				p->a, .layout = shapes[(k + i) % SHAPES]);
		for (unsigned k = 0; k < SHAPES; k++)
			vb_expect_message(sends[k], recvs[k]);
	}
	vb_expect_settled(p);
}

VB_CASE(sge_splits, .id = "sge/splits",
	.title = "gather and scatter lists are gone through in order",
	.spec = "ibv_post_send(3), ibv_post_recv(3): sg_list",
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("SGE-01", "SGE-02", "SGE-03", "CMP-01"),
	.defects = VB_LIST("SGE-02", "SGE-05", "SGE-09", "LEN-05", "LEN-10"),
	.kills = VB_LIST("M03"), .run = run);
