// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An atomic is on eight bytes at a multiple of eight.  At any other address it
 * is refused when posted, or by the peer; the memory is as before.  A result
 * of other than eight bytes is refused, fails, or is put up with.
 */
#include <verbatim/case.h>

enum { ROOM = 64 };

static void elsewhere(struct vb_test *t, struct vb_pair *p,
		      struct vb_object *to, uint32_t offset)
{
	struct vb_wr *wr = vb_try_post_send(
		p->a, .op = offset % 2 ? VB_FETCH_ADD : VB_CMP_SWAP, .to = to,
		.offset = offset, .add = 1, .compare = 1, .swap = 2);

	if (wr) {
		vb_expect_wc_among(wr, IBV_WC_REM_INV_REQ_ERR,
				   IBV_WC_REM_ACCESS_ERR, IBV_WC_LOC_QP_OP_ERR);
		vb_reconnect(p);
	}
	vb_expect_memory(to);
}

static void size(struct vb_test *t, struct vb_pair *p, struct vb_object *to,
		 uint32_t offset, uint32_t len)
{
	struct vb_wr *wr = vb_try_post_send(p->a, .op = VB_FETCH_ADD, .to = to,
					    .offset = offset, .len = len,
					    .add = 1);

	if (!wr)
		return;
	vb_expect_scenario(t, "S20", wr, NULL);
	vb_note(t, "a result of %u bytes was accepted", len);
	vb_reconnect(p);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;

	for (uint32_t i = 1; i < 8; i++)
		elsewhere(t, p, to, at + i);
	vb_expect_wc(vb_post_fetch_add(p->a, .to = to, .offset = at, .add = 3),
		     IBV_WC_SUCCESS);
	vb_expect_memory(to);
	size(t, p, to, at, 4);
	size(t, p, to, at, 16);
	vb_expect_settled(p);
}

VB_CASE(atomic_unaligned, .id = "atomic/unaligned",
	.title = "an atomic at an odd address changes nothing",
	.spec = "ibv_post_send(3): atomic.remote_addr", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_ATOMIC, .limit_ms = 15000,
	.rules = VB_LIST("ATO-02", "ATO-03", "NAK-02"), .kills = VB_LIST("M37"),
	.run = run);
