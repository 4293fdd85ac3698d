// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An address that nobody has: there is no handle for it, or what is sent to it
 * vanishes; it comes to nobody else, and the queue pair works on.
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 10, LAST = 15, DOCUMENTATION = 192 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES), *send;
	union ibv_gid nobody = *vb_gid(vb_b(t));
	struct vb_object *ah;

	/* 192.0.2.0/24 is of nobody; of an IPv6 GID other bytes are. */
	nobody.raw[LAST - 3] = DOCUMENTATION;
	nobody.raw[LAST - 2] = 0;
	nobody.raw[LAST - 1] = 2;
	nobody.raw[LAST] = (uint8_t)vb_draw(t, 1, 254);
	ah = vb_try_create_ah(vb_qp_pd(p->a), .dgid = &nobody);
	if (ah) {
		send = vb_try_post_send(p->a, .ah = ah, .len = BYTES);
		if (send) {
			vb_expect_wc_among(send, IBV_WC_SUCCESS,
					   IBV_WC_LOC_QP_OP_ERR,
					   IBV_WC_GENERAL_ERR);
			vb_expect_dropped(send, QUIET_MS);
		}
	} else {
		vb_note(t, "no handle for an address that nobody has");
	}
	vb_expect_untouched(recv);
	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_expect_settled(p);
}

VB_CASE(ud_unreachable, .id = "ud/unreachable",
	.title = "a datagram to nobody comes to nobody",
	.spec = "ibv_create_ah(3)", .dimension = VB_FAULT, .needs = VB_NEED_UD,
	.limit_ms = 15000, .rules = VB_LIST("UD-10", "CMP-23"), .run = run);
