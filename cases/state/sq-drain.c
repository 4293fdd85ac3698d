// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In SQD sends are queued and not executed, receives go on; back in RTS the
 * queued sends are carried out in order, by the next post at the latest.
 * Devices may do without this state.
 */
#include <verbatim/case.h>

enum { HELD = 2, BYTES = 128, QUIET_MS = 20 };

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
	.spec = "InfiniBand: QP states, Send Queue Drain", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("QPS-18", "QPS-19", "AEV-08"),
	.defects = VB_LIST("QPSM-17"), .run = run);
