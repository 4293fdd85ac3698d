// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * READs bring what lies in the region, whether it lay there from the start or
 * was written by an earlier WRITE of the same queue, over one SGE or many.
 */
#include <verbatim/case.h>

enum { ROOM = 32 * 1024, COUNT = 24 };

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	{
		struct vb_pair *p = vb_connect(t, .depth = 2 * COUNT, .sges = 4,
					       .path = path);
		struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
		struct vb_wr *reads[COUNT];

		for (unsigned i = 0; i < COUNT; i++) {
			uint32_t len = (uint32_t)vb_draw(t, 0, ROOM / 2);
			uint32_t at = (uint32_t)vb_draw(t, 0, ROOM - len);

			vb_post_write(p->a, .to = to, .offset = at / 2,
				      .len = len / 3, .unsignaled = true);
			reads[i] = vb_post_read(p->a, .to = to, .offset = at,
						.len = len, .sges = 1 + i % 4);
		}
		for (unsigned i = 0; i < COUNT; i++)
			vb_expect_wc(reads[i], IBV_WC_SUCCESS);
		vb_expect_memory(to);
		vb_expect_settled(p);
	}
}

VB_CASE(read_places, .id = "read/places",
	.title = "a READ brings what lies there after the WRITEs before it",
	.spec = "ibv_post_send(3): IBV_WR_RDMA_READ",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("SGE-02", "RMA-01", "RMA-02", "RMA-06", "MSG-11"),
	.run = run);
