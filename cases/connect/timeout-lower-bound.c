// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * With nobody there RETRY_EXC_ERR comes no earlier than the number of retries
 * times the timeout of the code; how much later is the device's affair.
 */
#include <verbatim/case.h>

static const struct {
	uint8_t timeout, retry;
} settings[] = { { 10, 0 }, { 10, 2 }, { 11, 3 }, { 12, 1 } };

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		uint8_t code = settings[i].timeout, retry = settings[i].retry;
		uint64_t least = vb_ack_timeout_ns(code) * retry;
		struct vb_pair *p =
			vb_connect(t, .depth = 2,
				   .attr_a = { .timeout = VB_SET(code),
					       .retry = VB_SET(retry) });
		struct vb_wr *send;

		vb_destroy_qp(p->b);
		send = vb_post_send(p->a, .len = 100);
		vb_expect_wc(send, IBV_WC_RETRY_EXC_ERR);
		vb_check(t, VB_FIND_WRONG_TIMING, vb_took_ns(send) >= least,
			 "timeout code %u, %u retries: given up after %llu us, "
			 "it must take %llu us at least",
			 code, retry,
			 (unsigned long long)vb_took_ns(send) / 1000,
			 (unsigned long long)least / 1000);
		vb_note(t, "timeout %u, %u retries: %llu us", code, retry,
			(unsigned long long)vb_took_ns(send) / 1000);
		vb_expect_state(p->a, IBV_QPS_ERR);
		vb_expect_qp_settled(p->a);
	}
}

VB_CASE(connect_timeout_lower_bound, .id = "connect/timeout-lower-bound",
	.title = "a dead peer is not given up before its time",
	.spec = "ibv_modify_qp(3): timeout, retry_cnt", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 15000,
	.rules = VB_LIST("CON-05", "CON-06", "RNR-08", "WCS-12"),
	.defects = VB_LIST("RETRY-01", "RETRY-13"), .run = run);
