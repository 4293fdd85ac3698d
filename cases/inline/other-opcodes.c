// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The inline flag is for SENDs and WRITEs.  On a READ or an atomic it is
 * refused, fails, or is not looked at; then the result is where it belongs.
 */
#include <verbatim/case.h>

enum { ROOM = 64 };

static void attempt(struct vb_test *t, struct vb_pair *p, struct vb_object *to,
		    enum vb_op op)
{
	struct vb_wr *wr = vb_try_post_send(
		p->a, .op = op, .to = to, .len = 8, .inlined = true, .add = 1,
		.offset = (8 - vb_mr_address(to) % 8) % 8);

	if (!wr) {
		vb_note(t, "refused when posted");
		return;
	}
	if (vb_expect_wc_among(wr, IBV_WC_SUCCESS, IBV_WC_LOC_QP_OP_ERR,
			       IBV_WC_LOC_PROT_ERR) == IBV_WC_SUCCESS)
		vb_note(t, "the flag was not looked at");
	else
		vb_reconnect(p);
	vb_expect_memory(to);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .inline_max = ROOM);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	attempt(t, p, to, VB_READ);
	if (vb_atomic_access(vb_qp_pd(p->b))) {
		attempt(t, p, to, VB_FETCH_ADD);
		attempt(t, p, to, VB_CMP_SWAP);
	}
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 8), IBV_WC_SUCCESS);
	vb_expect_settled(p);
}

/* The builder functions have no way to say it. */
VB_CASE(inline_other_opcodes, .id = "inline/other-opcodes",
	.title = "a READ that says inline spoils nothing",
	.spec = "ibv_post_send(3): IBV_SEND_INLINE", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.fixed = VB_PATH_BUILDER, .rules = VB_LIST("PST-06"), .run = run);
