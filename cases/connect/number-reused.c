// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A queue pair is destroyed while its peer still sends to it, and new ones are
 * made and connected with the very PSNs of the old: what is meant for the dead
 * never reaches them, and its sender is told that nobody is there.
 */
#include <verbatim/case.h>

enum { PSN = 0x5a5a5a, DEPTH = 4, BYTES = 64, QUIET_MS = 10, ROUNDS = 3 };

/* @hasty: gives up soon, as what nobody answers shall. */
static struct vb_pair *pair(struct vb_test *t, bool hasty)
{
	return vb_connect(t, .depth = DEPTH,
			  .attr = { .sq_psn = VB_SET(PSN),
				    .rq_psn = VB_SET(PSN),
				    .timeout = VB_SET(hasty ? 11 : 16),
				    .retry = VB_SET(3) });
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct vb_pair *old = pair(t, true), *young;
		struct vb_wr *orphan, *recv_a, *recv_b;

		vb_destroy_qp(old->b);
		young = pair(t, false);
		recv_a = vb_post_recv(young->a, .len = BYTES);
		recv_b = vb_post_recv(young->b, .len = BYTES);
		orphan = vb_post_send(old->a, .len = BYTES - 1);
		vb_expect_pending(recv_a, QUIET_MS);
		vb_expect_pending(recv_b, QUIET_MS);
		vb_expect_wc(orphan, IBV_WC_RETRY_EXC_ERR);
		vb_expect_message(vb_post_send(young->a, .len = 3), recv_b);
		vb_expect_message(vb_post_send(young->b, .len = 4), recv_a);
		vb_destroy_qp(old->a);
		vb_expect_settled(young);
	}
}

VB_CASE(connect_number_reused, .id = "connect/number-reused",
	.title = "what is meant for a destroyed queue pair reaches no new one",
	.spec = "ibv_destroy_qp(3), ibv_create_qp(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 15000,
	.rules = VB_LIST("TDN-02", "TDN-04", "DST-04", "RES-14"),
	.defects = VB_LIST("WRID-10", "WRID-03", "WRID-04"),
	.kills = VB_LIST("M20"), .run = run);
