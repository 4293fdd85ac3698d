// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ends have different path MTUs.  Within the smaller one messages arrive;
 * beyond it a device may be tolerant or end the connection, but it never says
 * SUCCESS to content that is not the message.
 */
#include <verbatim/case.h>

enum { SMALL = 256, LARGE = 512, BYTES = 3 * LARGE };

static void beyond(struct vb_test *t, struct vb_qp *from, struct vb_qp *to)
{
	struct vb_wr *recv = vb_post_recv(to, .len = BYTES);
	struct vb_wr *send = vb_post_send(from, .len = BYTES);
	enum ibv_wc_status s =
		vb_expect_wc_among(send, IBV_WC_SUCCESS, IBV_WC_REM_INV_REQ_ERR,
				   IBV_WC_REM_OP_ERR, IBV_WC_RETRY_EXC_ERR);

	vb_note(t, "from the %s path MTU: %s",
		vb_qp_end(from) == vb_a(t) ? "smaller" : "larger",
		ibv_wc_status_str(s));
	if (s == IBV_WC_SUCCESS) {
		vb_expect_message(send, recv);
		return;
	}
	vb_expect_state(from, IBV_QPS_ERR);
	/* Wherever it ended there, it was not a success. */
	if (vb_completed(recv))
		vb_expect_wc_among(recv, IBV_WC_WR_FLUSH_ERR,
				   IBV_WC_LOC_QP_OP_ERR, IBV_WC_LOC_LEN_ERR,
				   IBV_WC_REM_INV_REQ_ERR, IBV_WC_GENERAL_ERR);
}

static void run(struct vb_test *t)
{
	if (vb_mtu(vb_a(t)) < LARGE)
		vb_skip(t, "the port's MTU is %u: there is no other below it",
			vb_mtu(vb_a(t)));
	for (unsigned i = 0; i < 2; i++) {
		struct vb_pair *p =
			vb_connect(t, .depth = 4,
				   .attr_a = { .mtu = VB_SET(SMALL),
					       .timeout = VB_SET(16),
					       .retry = VB_SET(1) },
				   .attr_b = { .mtu = VB_SET(LARGE),
					       .timeout = VB_SET(16),
					       .retry = VB_SET(1) });

		vb_allow_event(i ? p->a : p->b, IBV_EVENT_QP_REQ_ERR);
		vb_allow_event(i ? p->a : p->b, IBV_EVENT_QP_ACCESS_ERR);
		vb_allow_event(i ? p->a : p->b, IBV_EVENT_QP_FATAL);
		vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS,
			  .sizes = &(struct vb_sizes){ .kind = VB_SIZES_RANGE,
						       .count = 2,
						       .bytes = { 0, SMALL } });
		if (i)
			beyond(t, p->b, p->a);
		else
			beyond(t, p->a, p->b);
	}
}

VB_CASE(connect_mtu_differs, .id = "connect/mtu-differs",
	.title = "different path MTUs lose a message, never falsify it",
	.spec = "InfiniBand: packet lengths within a message",
	.dimension = VB_FAULT, .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CON-04"), .defects = VB_LIST("MTU-01", "MTU-02"),
	.run = run);
