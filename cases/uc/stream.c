// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * UC on a path without loss: messages in order, their content right; a SEND
 * that meets no receive is dropped, and what follows arrives.
 */
#include <verbatim/case.h>

enum { BYTES = 5000, QUIET_MS = 20 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UC, .sges = 3);
	struct vb_pair *aside = vb_connect(t, .type = IBV_QPT_UC);
	struct vb_wr *gone, *recv, *send;

	gone = vb_post_send(p->a, .len = BYTES);
	vb_expect_wc(gone, IBV_WC_SUCCESS);
	vb_expect_dropped(gone, QUIET_MS);
	/* What another queue pair sends behind it has come: it is gone. */
	recv = vb_post_recv(aside->b, .len = BYTES);
	vb_expect_message(vb_post_send(aside->a, .len = BYTES), recv);
	recv = vb_post_recv(p->b, .len = BYTES);
	send = vb_post_send(p->a, .len = BYTES);
	vb_expect_message(send, recv);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_stream(p, .messages = 200, .sges = 3, .imm = true,
		  .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(uc_stream, .id = "uc/stream",
	.title = "UC loses what meets no receive, and nothing else is changed",
	.spec = "ibv_create_qp(3)", .needs = VB_NEED_UC, .limit_ms = 20000,
	.rules = VB_LIST("UC-01", "UC-02", "MSG-02"), .run = run);
