// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each value of retry_cnt towards a peer that does not answer, having a receive
 * but being in INIT: the request ends with RETRY_EXC_ERR, after so many
 * timeouts at least; the peer's receive and state are as they were.
 */
#include <verbatim/case.h>

enum { COUNTS = 7, TIMEOUT = 11, BYTES = 100 };

static void run(struct vb_test *t)
{
	struct vb_pair *p[COUNTS];
	struct vb_wr *sends[COUNTS], *recvs[COUNTS];

	for (unsigned i = 0; i < COUNTS; i++) {
		p[i] = vb_connect(t, .depth = 2, .state = IBV_QPS_INIT);
		recvs[i] = vb_post_recv(p[i]->b, .len = BYTES);
		vb_modify(p[i]->a, IBV_QPS_RTR);
		vb_modify(p[i]->a, IBV_QPS_RTS, .timeout = VB_SET(TIMEOUT),
			  .retry = VB_SET(i));
	}
	for (unsigned i = 0; i < COUNTS; i++)
		sends[i] = vb_post_send(p[i]->a, .len = BYTES);
	for (unsigned i = 0; i < COUNTS; i++) {
		uint64_t least = i * vb_ack_timeout_ns(TIMEOUT) / 1000, took;

		vb_expect_wc(sends[i], IBV_WC_RETRY_EXC_ERR);
		took = vb_took_ns(sends[i]) / 1000;
		vb_check(t, VB_FIND_WRONG_TIMING, took >= least,
			 "retry_cnt %u: given up after %llu us, the retries "
			 "take %llu us at least",
			 i, (unsigned long long)took,
			 (unsigned long long)least);
		vb_expect_pending(recvs[i], 0);
		vb_expect_untouched(recvs[i]);
		vb_expect_state(p[i]->b, IBV_QPS_INIT);
	}
	vb_expect_all_settled(t);
}

VB_CASE(connect_retry_counts, .id = "connect/retry-counts",
	.title = "retry_cnt 0 to 6 are as many timeouts, and the peer is as it "
		 "was",
	.spec = "ibv_modify_qp(3): retry_cnt", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 15000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CON-06", "CON-07", "WCS-12", "QPS-13", "RNR-08"),
	.defects = VB_LIST("RETRY-01", "RETRY-13"), .kills = VB_LIST("D25"),
	.run = run);
