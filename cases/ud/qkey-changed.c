// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The Q_Key of a queue pair is changed while it works: from then on the new one
 * opens it and the old one does not, whatever a query says.
 */
#include <verbatim/case.h>

enum { BYTES = 80, OLD = 0x1357bdf, NEW = 0x2468ace, QUIET_MS = 10 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4,
				       .attr = { .qkey = VB_SET(OLD) });
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *old;

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
	vb_modify(p->b, IBV_QPS_RTS, .qkey = VB_SET(NEW));
	recv = vb_post_recv(p->b, .len = BYTES);
	/* A sender that knows the old one still. */
	old = vb_post_send(p->a, .len = BYTES, .remote_qkey = VB_SET(OLD));
	vb_expect_wc(old, IBV_WC_SUCCESS);
	vb_expect_dropped(old, QUIET_MS);
	vb_expect_untouched(recv);
	vb_expect_message(vb_post_send(p->a, .len = BYTES - 1,
				       .remote_qkey = VB_SET(NEW)),
			  recv);
	vb_expect_attributes(p->b);
	vb_expect_settled(p);
}

VB_CASE(ud_qkey_changed, .id = "ud/qkey-changed",
	.title = "a Q_Key changed in RTS is the one that opens",
	.spec = "ibv_modify_qp(3): qkey", .needs = VB_NEED_UD,
	.limit_ms = 10000, .rules = VB_LIST("UD-04", "QPS-09"),
	.defects = VB_LIST("QPSM-03", "QPSM-21"), .kills = VB_LIST("D84"),
	.run = run);
