// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Datagrams that nobody can receive are dropped without a word to their
 * sender: to a queue pair without a receive, to a number that nobody has, to a
 * queue pair of RC or UC.  None of these hears of it, and the next that can be
 * received is.
 */
#include <verbatim/case.h>

enum { BYTES = 100, QUIET_MS = 10, NOBODY = 0x800077 };

static void dropped(struct vb_pair *p, struct vb_wr *send)
{
	vb_expect_wc(send, IBV_WC_SUCCESS);
	vb_expect_dropped(send, QUIET_MS);
	vb_expect_state(p->a, IBV_QPS_RTS);
}

static void foreign(struct vb_test *t, struct vb_pair *p, enum ibv_qp_type type)
{
	struct vb_pair *other = vb_connect(t, .type = type, .depth = 4);
	struct vb_wr *recv = vb_post_recv(other->b, .len = BYTES);

	dropped(p, vb_post_send(p->a, .len = BYTES,
				.dest_qpn = VB_SET(vb_qp_num(other->b))));
	vb_expect_pending(recv, 1);
	vb_expect_state(other->b, IBV_QPS_RTS);
	vb_expect_message(vb_post_send(other->a, .len = BYTES), recv);
}

/* What another queue pair has sent behind it has come: so it is gone. */
static void passed(struct vb_pair *aside)
{
	struct vb_wr *recv = vb_post_recv(aside->b, .len = BYTES);

	vb_expect_message(vb_post_send(aside->a, .len = BYTES), recv);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
	struct vb_pair *aside = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
	struct vb_wr *recv;

	dropped(p, vb_post_send(p->a, .len = BYTES));
	passed(aside);
	recv = vb_post_recv(p->b, .len = BYTES);
	dropped(p,
		vb_post_send(p->a, .len = BYTES, .dest_qpn = VB_SET(NOBODY)));
	foreign(t, p, IBV_QPT_RC);
	vb_expect_message(vb_post_send(p->a, .len = BYTES - 1), recv);
	vb_expect_all_settled(t);
}

VB_CASE(ud_not_received, .id = "ud/not-received",
	.title = "datagrams that nobody can receive are dropped in silence",
	.spec = "InfiniBand: unreliable datagrams", .dimension = VB_FAULT,
	.needs = VB_NEED_UD | VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("UD-06", "UD-11", "CMP-23", "WCS-00"), .run = run);
