// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An extended CQ with time stamps carries the same messages, and its stamps
 * never run back.
 */
#include <verbatim/case.h>

enum { DEPTH = 16 };

static void run(struct vb_test *t)
{
	struct vb_object *cqs[2];
	struct vb_qp *qps[2];
	struct vb_pair *p;

	for (unsigned i = 0; i < 2; i++) {
		struct vb_end *e = i ? vb_b(t) : vb_a(t);

		cqs[i] = vb_try_create_cq(e, .extended = true, .stamps = true);
		if (!cqs[i])
			vb_skip(t, "the device makes no CQ with time stamps");
		qps[i] = vb_create_qp(e, .depth = DEPTH, .send_cq = cqs[i],
				      .recv_cq = cqs[i]);
	}
	p = vb_join(qps[0], qps[1]);
	vb_stream(p, .messages = 128, .inflight = DEPTH,
		  .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(cq_time_stamps, .id = "cq/time-stamps",
	.title = "time stamps of completions never run back",
	.spec = "ibv_create_cq_ex(3)", .needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("CQ-01", "CMP-01"), .defects = VB_LIST("CQ-09"),
	.run = run);
