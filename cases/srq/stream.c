// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The standard traffic, receives out of an SRQ at either end. */
#include <verbatim/case.h>

enum { MESSAGES = 200 };

static void run(struct vb_test *t)
{
	uint32_t inflight = t->options->inflight < MESSAGES
				    ? t->options->inflight
				    : MESSAGES;
	struct vb_object *srq = vb_create_srq(
		vb_end_pd(vb_b(t)), .depth = VB_SET(2 * inflight), .sges = 2);
	struct vb_pair *p[2] = {
		vb_connect(t, .srq_b = srq, .sges = 2),
		vb_connect(t, .srq_b = srq, .sges = 2, .cq = VB_CQ_SHARED),
	};

	vb_stream_pairs(p, 2, .messages = MESSAGES, .imm = true, .sges = 2);
	vb_stream(vb_connect(t, .path = VB_PATH_SRQ), .messages = 100,
		  .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(srq_stream, .id = "srq/stream",
	.title = "the standard traffic through an SRQ",
	.spec = "ibv_post_srq_recv(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 20000, .rules = VB_LIST("SRQ-01", "SRQ-03", "SRQ-04"),
	.run = run);
