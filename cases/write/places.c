// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RDMA WRITEs of many lengths to places of one region that overlap each other:
 * each byte is that of the last message written there, all others are as
 * before, and so are the guards outside the region.
 */
#include <verbatim/case.h>

enum { ROOM = 64 * 1024, WRITES = 48 };

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	{
		struct vb_pair *p =
			vb_connect(t, .depth = WRITES, .sges = 4, .path = path);
		struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
		struct vb_wr *writes[WRITES];

		for (unsigned i = 0; i < WRITES; i++) {
			uint32_t len = (uint32_t)vb_draw(t, 0, ROOM / 4);
			uint32_t at = (uint32_t)vb_draw(t, 0, ROOM - len);

			writes[i] = vb_post_write(p->a, .to = to, .offset = at,
						  .len = len,
						  .sges = 1 + i % 4);
		}
		for (unsigned i = 0; i < WRITES; i++)
			vb_expect_wc(writes[i], IBV_WC_SUCCESS);
		vb_expect_memory(to);
		vb_expect_settled(p);
	}
}

VB_CASE(write_places, .id = "write/places",
	.title = "each WRITE lands in its place, the last one on top",
	.spec = "ibv_post_send(3): IBV_WR_RDMA_WRITE",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("RMA-10", "RMA-11", "MSG-11", "CMP-01"), .run = run);
