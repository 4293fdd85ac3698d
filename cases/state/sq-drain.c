// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In SQD sends are queued and not executed, receives go on; back in RTS the
 * queued sends are carried out in order, by the next post at the latest.
 * Devices may do without this state.
 */
#include <verbatim/case.h>

enum { HELD = 2, BYTES = 128, QUIET_MS = 20 };

/* Its peer reads, writes and counts in its memory: no send queue of its own
 * takes part in that. */
static void serve(struct vb_test *t, struct vb_pair *p)
{
	struct vb_object *to = vb_create_target(vb_qp_pd(p->a), BYTES);
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;

	vb_expect_wc(vb_post_write(p->b, .to = to, .len = BYTES),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->b, .to = to, .len = BYTES),
		     IBV_WC_SUCCESS);
	if (vb_atomic_access(vb_end_pd(vb_a(t))))
		vb_expect_wc(vb_post_fetch_add(p->b, .to = to, .offset = at,
					       .add = 3),
			     IBV_WC_SUCCESS);
	vb_expect_memory(to);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = HELD + 1);
	struct vb_wr *here, *there[HELD + 1], *back, *held[HELD + 1];

	vb_allow_event(p->a, IBV_EVENT_SQ_DRAINED);
	if (!vb_try_modify(p->a, IBV_QPS_SQD))
		vb_skip(t, "the device does not take a QP from RTS to SQD");
	for (unsigned i = 0; i <= HELD; i++)
		there[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < HELD; i++)
		held[i] = vb_post_send(p->a, .len = BYTES - i);
	here = vb_post_recv(p->a, .len = BYTES);
	back = vb_post_send(p->b, .len = BYTES);
	vb_expect_message(back, here);
	serve(t, p);
	vb_expect_pending(held[0], QUIET_MS);
	vb_expect_state(p->a, IBV_QPS_SQD);
	vb_expect_attributes(p->a);
	vb_modify(p->a, IBV_QPS_RTS);
	vb_let_pass(t, QUIET_MS);
	if (!vb_completed(held[0]))
		vb_note(t, "back in RTS, queued sends wait for the next post");
	held[HELD] = vb_post_send(p->a, .len = BYTES - HELD);
	for (unsigned i = 0; i <= HELD; i++)
		vb_expect_message(held[i], there[i]);
	vb_expect_settled(p);
}

VB_CASE(state_sq_drain, .id = "state/sq-drain",
	.title = "in SQD sends wait and receives go on",
	.spec = "InfiniBand: QP states, Send Queue Drain",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("QPS-18", "QPS-19", "AEV-08"),
	.defects = VB_LIST("QPSM-17"), .run = run);
