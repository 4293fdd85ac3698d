// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two processes answer each other, each asleep on its completion channel until
 * the other's message comes.  A completion that comes to an armed CQ raises an
 * event, however close to the arming it came; otherwise both sleep on.
 *
 * Sends are mostly unsignaled, so that one completion is waited for at a time.
 */
#include <verbatim/case.h>

enum { ROUNDS = 100, DEPTH = 16, BYTES = 40 };

static void play(struct vb_end *e, struct vb_peer *peer, bool begins)
{
	struct vb_qp *qp = vb_create_qp(e, .depth = DEPTH, .cq = VB_CQ_SPLIT);
	struct vb_wr *recv;

	vb_peer_exchange(peer, qp);
	vb_modify(qp, IBV_QPS_INIT);
	recv = vb_post_recv(qp, .len = BYTES);
	vb_modify(qp, IBV_QPS_RTR);
	vb_modify(qp, IBV_QPS_RTS);
	vb_peer_barrier(peer, "both in RTS");
	for (uint32_t i = 0; i < ROUNDS; i++) {
		struct vb_wr *next = NULL;

		if (!begins) {
			vb_expect_received(recv, i % BYTES);
			next = vb_post_recv(qp, .len = BYTES);
		}
		vb_post_send(qp, .len = i % BYTES,
			     .unsignaled = i % DEPTH != DEPTH - 1);
		if (begins) {
			next = vb_post_recv(qp, .len = BYTES);
			vb_expect_received(recv, i % BYTES);
		}
		recv = next;
	}
	vb_expect_qp_settled(qp);
	vb_peer_barrier(peer, "settled");
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	play(vb_b(t), peer, false);
}

static void run(struct vb_test *t)
{
	struct vb_options events = *t->options;
	const struct vb_options *as_said = t->options;
	struct vb_peer *peer;

	events.cq_mode = "event";
	t->options = &events;
	peer = vb_peer_start(t, second);
	play(vb_a(t), peer, true);
	vb_peer_finish(peer);
	t->options = as_said;
}

VB_CASE(shared_event_ping_pong, .id = "shared/event-ping-pong",
	.title = "each completion that comes to an armed CQ raises an event",
	.spec = "ibv_req_notify_cq(3), ibv_get_cq_event(3)",
	.needs = VB_NEED_RC | VB_NEED_EVENT, .limit_ms = 20000,
	.rules = VB_LIST("CQ-06", "CQ-07", "CQ-14", "CMP-21"),
	.defects = VB_LIST("EVT-02", "EVT-04", "EVT-11", "RETRY-10"),
	.kills = VB_LIST("M18"), .run = run);
