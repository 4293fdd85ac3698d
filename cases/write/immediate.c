// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * WRITE with immediate takes a receive and leaves its buffer alone; when that
 * completes, the data is in the region already, and so is that of the WRITEs
 * before it.
 */
#include <verbatim/case.h>

enum { ROOM = 8192, COUNT = 16, PART = ROOM / COUNT };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2 * COUNT);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *recv[COUNT], *send[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recv[i] = vb_post_recv(p->b, .len = 16);
	for (unsigned i = 0; i < COUNT; i++) {
		uint32_t at = i * PART;

		vb_post_write(p->a, .to = to, .offset = at, .len = PART / 2,
			      .unsignaled = true);
		send[i] = vb_post_write(p->a, .to = to, .offset = at + PART / 2,
					.len = i % 4 ? PART / 2 : 0,
					.imm = VB_SET(0xabc00 + i));
	}
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_message(send[i], recv[i]);
		vb_expect_untouched(recv[i]);
	}
	vb_expect_memory(to);
	vb_expect_settled(p);
}

VB_CASE(write_immediate, .id = "write/immediate",
	.title = "a WRITE's immediate comes behind its data",
	.spec = "ibv_post_send(3): IBV_WR_RDMA_WRITE_WITH_IMM",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM, .limit_ms = 10000,
	.rules = VB_LIST("CMP-14", "MSG-08", "MSG-10", "RMA-10"), .run = run);
