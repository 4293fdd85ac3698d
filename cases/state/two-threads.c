// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two threads modify one queue pair at once, to ERR and to RESET: it is then in
 * one of the two, and goes the whole way to RTS as if nothing had been.
 */
#include <verbatim/case.h>

enum { ROUNDS = 30 };

static void modify(struct vb_test *t, unsigned index, void *arg)
{
	struct vb_qp *qp = arg;

	vb_modify_unjudged(qp, index ? IBV_QPS_ERR : IBV_QPS_RESET);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4);
	unsigned errors = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		enum ibv_qp_state s;

		vb_threads(t, 2, modify, p->a);
		s = vb_state(p->a);
		vb_check(t, VB_FIND_WRONG_STATE,
			 s == IBV_QPS_ERR || s == IBV_QPS_RESET,
			 "modified to ERR and to RESET at once, it is in %s",
			 vb_state_name(s));
		errors += s == IBV_QPS_ERR;
		vb_reconnect(p);
		vb_stream(p, .messages = 4, .inflight = 4,
			  .direction = VB_BOTH_WAYS);
	}
	vb_note(t, "%u of %d times in ERR", errors, ROUNDS);
	vb_expect_settled(p);
}

VB_CASE(state_two_threads, .id = "state/two-threads",
	.title = "two threads modify a queue pair and leave it sound",
	.spec = "ibv_modify_qp(3)", .needs = VB_NEED_RC, .limit_ms = 60000,
	.rules = VB_LIST("QPS-29", "QPS-14"), .defects = VB_LIST("QPSM-13"),
	.run = run);
