// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * While a requester waits for a receiver to be ready, its attributes read as
 * they were set: what is left of its retries is nobody's affair.
 */
#include <verbatim/case.h>

/* 0.49 s, six times: long enough for everything in between. */
enum { TIMER = 31, RETRIES = 6, BYTES = 100, LATE_MS = 20 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 4, .attr = { .timeout = VB_SET(20) },
		.attr_a = { .rnr_retry = VB_SET(RETRIES), .retry = VB_SET(5) },
		.attr_b = { .min_rnr_timer = VB_SET(TIMER) });
	bool counted;
	uint64_t before;
	struct vb_wr *send, *recv;

	counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	send = vb_post_send(p->a, .len = BYTES);
	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + 1);
	else
		vb_expect_pending(send, LATE_MS);
	vb_expect_attributes(p->a);
	vb_expect_attributes(p->b);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_message(send, recv);
	vb_expect_attributes(p->a);
	vb_expect_settled(p);
}

VB_CASE(rnr_query_while_waiting, .id = "rnr/query-while-waiting",
	.title = "retry settings read as set while retries are used",
	.spec = "ibv_query_qp(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.rules = VB_LIST("QPS-09", "RNR-01", "CON-09"),
	.defects = VB_LIST("QPSM-03", "RETRY-06"), .kills = VB_LIST("R07"),
	.run = run);
