// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A datagram fits one packet: one of the MTU arrives, one of a byte more is
 * refused when posted, fails, or is not sent.  It is never received, in part
 * or in whole.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 10 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
	uint32_t most = 128u << vb_port_attr(vb_a(t))->active_mtu;
	struct vb_wr *recv = vb_post_recv(p->b, .len = most + 64), *send;

	vb_expect_message(vb_post_send(p->a, .len = most), recv);
	recv = vb_post_recv(p->b, .len = most + 64);
	for (uint32_t more = 1; more <= 64; more *= 64) {
		send = vb_try_post_send(p->a, .len = most + more);
		if (send) {
			vb_expect_wc_among(send, IBV_WC_LOC_LEN_ERR,
					   IBV_WC_LOC_QP_OP_ERR,
					   IBV_WC_SUCCESS);
			vb_expect_dropped(send, QUIET_MS);
		}
		vb_expect_untouched(recv);
		if (vb_state(p->a) != IBV_QPS_RTS) {
			vb_reconnect(p);
			recv = vb_post_recv(p->b, .len = most + 64);
		}
	}
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_message(vb_post_send(p->a, .len = 1), recv);
	vb_expect_settled(p);
}

VB_CASE(ud_too_long, .id = "ud/too-long",
	.title = "a datagram longer than the MTU is not received",
	.spec = "ibv_post_send(3)", .dimension = VB_FAULT, .needs = VB_NEED_UD,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("UD-03", "WCS-01"), .run = run);
