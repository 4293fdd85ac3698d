// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RESET straight from RTS, with sends and receives outstanding that nobody will
 * ever hear of: what they occupied is free again, and the whole depth of both
 * queues can be used in the next life, and in the one after it.
 */
#include <verbatim/case.h>

enum { LIVES = 3, DEPTH = 8, BYTES = 100 };

static void full_queues(struct vb_qp *from, struct vb_qp *to)
{
	struct vb_wr *recvs[DEPTH], *sends[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = vb_post_recv(to, .len = BYTES);
	for (unsigned i = 0; i < DEPTH; i++)
		sends[i] = vb_post_send(from, .len = BYTES - i);
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(sends[i], recvs[i]);
}

/* No receive meets these sends, and no send these receives. */
static void outstanding(struct vb_qp *qp, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		vb_post_send(qp, .len = BYTES, .unsignaled = i % 2);
		if (i > 0)
			vb_post_recv(qp, .len = BYTES);
	}
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH,
				       .attr = { .rnr_retry = VB_SET(7) });

	for (unsigned life = 0; life < LIVES; life++) {
		full_queues(p->a, p->b);
		full_queues(p->b, p->a);
		outstanding(p->a, 1 + life);
		vb_reconnect(p);
	}
	full_queues(p->a, p->b);
	full_queues(p->b, p->a);
	vb_expect_settled(p);
}

VB_CASE(state_reset_busy, .id = "state/reset-busy",
	.title = "what a RESET forgets occupies nothing afterwards",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states",
	.needs = VB_NEED_RC | VB_NEED_RETRY, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ, .rules = VB_LIST("QPS-14", "TDN-06", "PST-03"),
	.defects = VB_LIST("POST-06", "SRQ-19", "QPSM-13"),
	.kills = VB_LIST("D85"), .run = run);
