// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* More attributes that are wrong, of which the one at fault is named. */
#include "fault.h"

static void run_psn_wrap(struct vb_test *t)
{
	message(vb_connect(t, .depth = 2, .attr = { QUICK },
			   .attr_a = { .sq_psn = VB_SET(0) },
			   .attr_b = { .rq_psn = VB_SET(0xffffff) }));
}
FAULT(psn_wrap, "named/psn-wrap", VB_NEED_RC);

static void run_port(struct vb_test *t)
{
	vb_connect(t, .depth = 2, .attr_a = { .port = VB_SET(9) });
}
FAULT(port, "named/port", VB_NEED_RC);

static void run_is_global(struct vb_test *t)
{
	vb_connect(t, .depth = 2, .attr_a = { .is_global = VB_SET(0) });
}
FAULT(is_global, "named/is-global", VB_NEED_RC);

static void run_rd_atomic(struct vb_test *t)
{
	int most = vb_device_attr(vb_a(t))->max_qp_init_rd_atom;

	vb_connect(t, .depth = 2,
		   .attr_a = { .max_rd_atomic = VB_SET(most + 1) });
}
FAULT(rd_atomic, "named/rd-atomic", VB_NEED_RC);

static void run_timeout(struct vb_test *t)
{
	vb_connect(t, .depth = 2, .attr_a = { .timeout = VB_SET(32) });
}
FAULT(timeout, "named/timeout", VB_NEED_RC);

/* It is there when the case looks, and was not when it was needed. */
static void run_late_receive(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(1) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	while (!vb_completed(send))
		vb_let_pass(t, 1);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}
FAULT(late_receive, "named/late-receive", VB_NEED_RC);
