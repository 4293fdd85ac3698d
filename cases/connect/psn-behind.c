// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A requester whose PSN is behind what the responder expects looks like one
 * that repeats itself: the responder executes none of it.  It may acknowledge
 * it, as it would a repetition, so that the sender can be told SUCCESS of what
 * nobody got; nothing is said about that.
 */
#include <verbatim/case.h>

enum { PSN = 0x400000, BYTES = 64 };

static void attempt(struct vb_test *t, unsigned behind)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 4,
			   .attr_a = { .sq_psn = VB_SET(PSN - behind),
				       .timeout = VB_SET(10),
				       .retry = VB_SET(1) },
			   .attr_b = { .rq_psn = VB_SET(PSN) });
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);
	enum ibv_wc_status s =
		vb_expect_wc_among(send, IBV_WC_SUCCESS, IBV_WC_RETRY_EXC_ERR);

	vb_note(t, "%u behind: the sender is told %s", behind,
		ibv_wc_status_str(s));
	vb_expect_pending(recv, 1);
	vb_expect_untouched(recv);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_destroy_qp(p->b);
	vb_destroy_qp(p->a);
}

static void run(struct vb_test *t)
{
	attempt(t, 1);
	attempt(t, 1000);
}

VB_CASE(connect_psn_behind, .id = "connect/psn-behind",
	.title = "a PSN behind the peer's delivers nothing",
	.spec = "InfiniBand: duplicate requests; ibv_modify_qp(3)",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-02"), .defects = VB_LIST("RETRY-01", "PSN-01"),
	.run = run);
