// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A window of type 2: bound by a work request, used, and invalidated, by its
 * own end and by the peer's SEND; then its key is dead.
 */
#include <verbatim/case.h>

enum { ROOM = 512 };

static void attempt(struct vb_test *t, unsigned path)
{
	const unsigned access = IBV_ACCESS_REMOTE_WRITE;
	struct vb_pair *p = vb_connect(t, .depth = 8, .path = path);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->b), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->b), IBV_MW_TYPE_2);
	uint32_t large = 2 * vb_mtu(vb_b(t)) + 4;
	struct vb_wr *recv, *send;

	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = access),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = ROOM),
		     IBV_WC_SUCCESS);
	vb_expect_memory(mr);
	vb_expect_wc(vb_post_local_inv(p->b, .invalidate = mw), IBV_WC_SUCCESS);
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = access),
		     IBV_WC_SUCCESS);
	recv = vb_post_recv(p->b, .len = 64);
	send = vb_post_send(p->a, .len = 64, .invalidate = mw);
	vb_expect_message(send, recv);
	/* Unsignaled, both say nothing. */
	vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM, .access = access,
		   .unsignaled = true);
	vb_post_local_inv(p->b, .invalidate = mw, .unsignaled = true);
	/* By the last packet of a long message too. */
	vb_expect_wc(vb_bind_mw(p->b, mw, .mr = mr, .len = ROOM,
				.access = access),
		     IBV_WC_SUCCESS);
	recv = vb_post_recv(p->b, .len = large);
	send = vb_post_send(p->a, .len = large, .invalidate = mw);
	vb_expect_message(send, recv);
	vb_expect_wc(vb_post_write(p->a, .to = mw, .len = 8),
		     IBV_WC_REM_ACCESS_ERR);
	vb_expect_memory(mr);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	VB_EACH_PATH(t, IBV_QPT_RC, path)
	attempt(t, path);
}

VB_CASE(mw_type2, .id = "mw/type2",
	.title = "a window of type 2 is bound, used and invalidated",
	.spec = "ibv_post_send(3): IBV_WR_BIND_MW, IBV_WR_LOCAL_INV",
	.needs = VB_NEED_RC | VB_NEED_MW2, .limit_ms = 10000,
	.rules = VB_LIST("CMP-17", "MW-10", "MSG-13", "MW-13"),
	.kills = VB_LIST("D64", "D68"), .run = run);
