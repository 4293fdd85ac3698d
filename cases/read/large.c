// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * READs of many packets, of a size around each multiple of the MTU and of a
 * MiB, with other READs and WRITEs between them; and one whose region is
 * deregistered while it is answered: it succeeds or fails, and nothing else
 * comes of it.
 */
#include <verbatim/case.h>

enum { MIB = 1 << 20, ROOM = MIB + 64, SIZES = 11 };

static void deregistered(struct vb_test *t, struct vb_pair *p)
{
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *read = vb_post_read(p->a, .to = to, .len = MIB);

	if (!vb_try_destroy(to))
		vb_note(t, "a region is not deregistered while it is read");
	if (vb_expect_wc_among(read, IBV_WC_SUCCESS, IBV_WC_REM_ACCESS_ERR,
			       IBV_WC_REM_OP_ERR,
			       IBV_WC_RETRY_EXC_ERR) != IBV_WC_SUCCESS)
		vb_note(t, "a READ failed as its region was deregistered");
	vb_reconnect(p);
}

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_a(t));
	const uint32_t bytes[SIZES] = { mtu - 1,     mtu,     mtu + 1, 2 * mtu,
					2 * mtu + 1, 5 * mtu, 65535,   65536,
					65537,	     MIB - 1, MIB + 1 };
	struct vb_pair *p = vb_connect(t, .depth = 2 * SIZES + 1, .sges = 3);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	struct vb_wr *reads[SIZES];

	for (unsigned i = 0; i < SIZES; i++) {
		reads[i] = vb_post_read(p->a, .to = to, .offset = i,
					.len = bytes[i], .sges = 1 + i % 3);
		vb_post_write(p->a, .to = to, .offset = 100 * i, .len = 99,
			      .unsignaled = true, .fence = true);
	}
	for (unsigned i = 0; i < SIZES; i++)
		vb_expect_wc(reads[i], IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 1), IBV_WC_SUCCESS);
	vb_expect_memory(to);
	deregistered(t, p);
	vb_expect_settled(p);
}

VB_CASE(read_large, .id = "read/large",
	.title = "READs of many packets bring every byte",
	.spec = "ibv_post_send(3): IBV_WR_RDMA_READ",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 30000,
	.rules = VB_LIST("RMA-13", "RMA-01", "CMP-21"), .run = run);
