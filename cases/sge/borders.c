// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A message that ends at, just before and just behind the border between two
 * pieces of its receive fills those before it and not a byte behind; so with
 * as many pieces as there may be, and gathered from pieces whose borders lie
 * a byte beside.
 */
#include <verbatim/case.h>

enum { SGES_MAX = 16, PIECE = 50, STEPS = 3 };

static void ends_at(struct vb_pair *p, uint32_t sges, uint32_t len)
{
	uint32_t room[SGES_MAX], sent[SGES_MAX] = { 0 }, left = len, n = 0;
	struct vb_wr *recv, *send;

	for (uint32_t i = 0; i < sges; i++)
		room[i] = PIECE;
	while (left) {
		uint32_t want = n ? PIECE : PIECE - 1;

		sent[n] = n + 1 == sges || left < want ? left : want;
		left -= sent[n++];
	}
	recv = vb_post_recv(p->b, .layout = { sges, room });
	send = vb_post_send(p->a, .layout = { n ? n : 1, sent });
	vb_expect_message(send, recv);
}

static void run(struct vb_test *t)
{
	uint32_t max = (uint32_t)vb_device_attr(vb_a(t))->max_sge;
	struct vb_pair *p;

	max = max < SGES_MAX ? max : SGES_MAX;
	p = vb_connect(t, .depth = 4, .sges = max);
	for (uint32_t sges = 1; sges <= max; sges += sges < 4 ? 1 : 4)
		for (uint32_t i = 0; i <= sges; i++)
			for (uint32_t k = 0; k < STEPS; k++) {
				uint32_t len = i * PIECE + k;

				if (len && len - 1 <= sges * PIECE)
					ends_at(p, sges, len - 1);
			}
	vb_expect_settled(p);
}

VB_CASE(sge_borders, .id = "sge/borders",
	.title = "a message may end at, before and behind a border of pieces",
	.spec = "ibv_post_recv(3): sg_list", .needs = VB_NEED_RC,
	.limit_ms = 15000,
	.rules = VB_LIST("SGE-02", "SGE-03", "MSG-03", "CMP-01", "CMP-13"),
	.defects = VB_LIST("SGE-02", "SGE-03", "LEN-10"),
	.kills = VB_LIST("D07"), .run = run);
