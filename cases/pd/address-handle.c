// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An address handle belongs to its PD: it keeps it busy, and a datagram through
 * one of another PD than the queue pair's reaches nobody.
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 20 };

static void run(struct vb_test *t)
{
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
	struct vb_object *ah = vb_create_ah(pd, .to = p->b);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES), *send;
	enum ibv_wc_status s;

	if (vb_try_destroy(pd))
		vb_skip(t, "the device does not count address handles with "
			   "their PD");
	send = vb_try_post_send(p->a, .len = BYTES, .ah = ah);
	if (send) {
		s = vb_expect_wc_among(send, IBV_WC_LOC_QP_OP_ERR,
				       IBV_WC_LOC_PROT_ERR, IBV_WC_SUCCESS);
		vb_note(t, "through a handle of another PD: %s",
			ibv_wc_status_str(s));
		vb_expect_pending(recv, QUIET_MS);
		vb_expect_untouched(recv);
		if (s == IBV_WC_SUCCESS)
			vb_expect_dropped(send, QUIET_MS);
	}
	vb_destroy(ah);
	vb_destroy(pd);
}

VB_CASE(pd_address_handle, .id = "pd/address-handle",
	.title = "an address handle of another PD reaches nobody",
	.spec = "ibv_create_ah(3); ibv_dealloc_pd(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("PD-02", "PD-08", "DST-08", "DST-11"),
	.defects = VB_LIST("PD-01"), .run = run);
