// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A remote access of no bytes needs no right key or address: SUCCESS, though
 * some devices check all the same.  Either way nothing is written, and with
 * the right key it always succeeds, at the end of the region too.
 */
#include <verbatim/case.h>

enum { BYTES = 128, GARBAGE = 0x13579b00 };

static void attempt(struct vb_test *t, enum vb_op op)
{
	struct vb_object *mr = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p = vb_connect(
		t, .depth = 4,
		.attr_b = { .access = VB_SET(IBV_ACCESS_REMOTE_WRITE |
					     IBV_ACCESS_REMOTE_READ) });
	struct vb_wr *wr;
	enum ibv_wc_status s;

	wr = vb_post_send(p->a, .op = op, .to = mr, .len = 0);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	wr = vb_post_send(p->a, .op = op, .to = mr, .len = 0, .offset = BYTES);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_allow_event(p->b, IBV_EVENT_QP_REQ_ERR);
	wr = vb_post_send(p->a, .op = op, .to = mr, .len = 0,
			  .rkey = VB_SET(GARBAGE), .remote = VB_SET(1));
	s = vb_expect_wc_among(wr, IBV_WC_SUCCESS, IBV_WC_REM_ACCESS_ERR,
			       IBV_WC_LOC_QP_OP_ERR);
	if (s != IBV_WC_SUCCESS)
		vb_note(t, "no bytes with a wrong key: %s",
			ibv_wc_status_str(s));
	vb_expect_memory(mr);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	attempt(t, VB_WRITE);
	attempt(t, VB_READ);
}

VB_CASE(mr_zero_length, .id = "mr/zero-length",
	.title = "an access of no bytes writes none, whatever its key",
	.spec = "InfiniBand: R_Key checks of zero-length requests",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("MR-22", "MR-08", "RMA-06"),
	.defects = VB_LIST("LEN-11"), .kills = VB_LIST("R03"), .run = run);
