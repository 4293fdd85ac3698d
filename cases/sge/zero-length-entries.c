// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An entry of no bytes in a list is passed over, wherever it stands.  Every
 * subset of four entries is made empty in turn, at the sender, at the
 * receiver, and differently at both.
 */
#include <verbatim/case.h>

enum { SGES = 4, SUBSETS = 1 << SGES };

static struct vb_layout layout(unsigned empty, uint32_t *bytes)
{
	static const uint32_t full[SGES] = { 40, 1, 1000, 64 };

	for (unsigned i = 0; i < SGES; i++)
		bytes[i] = empty & (1u << i) ? 0 : full[i];
	return (struct vb_layout){ .count = SGES, .bytes = bytes };
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = SGES);
	uint32_t there[SGES], here[SGES];

	for (unsigned empty = 0; empty < SUBSETS; empty++) {
		struct vb_layout gather = layout(empty, there);
		struct vb_layout scatter = layout(empty, here);
		struct vb_wr *recvs[3], *sends[3];

		recvs[0] = vb_post_recv(p->b, .len = 1200);
		recvs[1] = vb_post_recv(p->b, .layout = scatter);
		recvs[2] =
			vb_post_recv(p->b, .layout = VB_LAYOUT(0, 5, 0, 1200));
		sends[0] = vb_post_send(p->a, .layout = gather);
		sends[1] = vb_post_send(p->a, .layout = gather);
		sends[2] = vb_post_send(p->a, .layout = gather);
		for (unsigned i = 0; i < 3; i++)
			vb_expect_message(sends[i], recvs[i]);
	}
	vb_expect_settled(p);
}

VB_CASE(sge_zero_length_entries, .id = "sge/zero-length-entries",
	.title = "entries of no bytes are passed over in any position",
	.spec = "ibv_post_send(3), ibv_post_recv(3): sg_list",
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("SGE-04", "SGE-01", "SGE-02", "MSG-05", "MR-22"),
	.defects = VB_LIST("SGE-01", "SGE-03", "SGE-04", "SGE-10"),
	.kills = VB_LIST("M02"), .run = run);
