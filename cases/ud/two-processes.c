// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two processes send each other datagrams, of no bytes to a whole packet, and
 * each answers by what a completion and the header before the datagram tell:
 * who has sent it, and where that is.
 */
#include <verbatim/case.h>

enum { COUNT = 4, REPLY = 24 };

struct side {
	struct vb_test *t;
	struct vb_peer *peer;
	struct vb_qp *qp;
};

static void introduce(struct side *s, struct vb_end *e)
{
	s->qp = vb_create_qp(e, .type = IBV_QPT_UD, .depth = 2 * COUNT);
	vb_peer_exchange(s->peer, s->qp);
	for (enum ibv_qp_state to = IBV_QPS_INIT; to <= IBV_QPS_RTS; to++)
		vb_modify(s->qp, to);
}

static void first(struct side *s, struct vb_wr *recvs[COUNT])
{
	const uint32_t lens[COUNT] = { 0, 1, 200, vb_mtu(vb_qp_end(s->qp)) };
	struct vb_wr *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(s->qp, .len = lens[i]);
	vb_peer_barrier(s->peer, "receives posted");
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(s->qp, .len = lens[i]);
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
		vb_expect_received(recvs[i], lens[i]);
	}
}

static void answer(struct side *s, struct vb_wr *const recvs[COUNT])
{
	struct vb_wr *replies[COUNT], *sends[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		replies[i] = vb_post_recv(s->qp, .len = REPLY);
	vb_peer_barrier(s->peer, "receives of replies posted");
	for (unsigned i = 0; i < COUNT; i++) {
		struct vb_object *ah =
			vb_try_create_ah_from_wc(vb_qp_pd(s->qp), recvs[i]);

		vb_check(
			s->t, VB_FIND_WRONG_RETURN, ah,
			"no address handle of the datagram of another process");
		sends[i] = vb_post_send(s->qp, .ah = ah, .len = REPLY);
	}
	for (unsigned i = 0; i < COUNT; i++) {
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
		vb_expect_received(replies[i], REPLY);
	}
}

static void both(struct vb_test *t, struct vb_end *e, struct vb_peer *peer)
{
	struct side s = { .t = t, .peer = peer };
	struct vb_wr *recvs[COUNT];

	introduce(&s, e);
	first(&s, recvs);
	answer(&s, recvs);
	vb_expect_qp_settled(s.qp);
	vb_peer_barrier(peer, "settled");
}

static void second(struct vb_test *t, struct vb_peer *peer)
{
	both(t, vb_b(t), peer);
}

static void run(struct vb_test *t)
{
	struct vb_peer *peer = vb_peer_start(t, second);

	both(t, vb_a(t), peer);
	vb_peer_finish(peer);
}

VB_CASE(ud_two_processes, .id = "ud/two-processes",
	.title = "two processes send each other datagrams, and answer them",
	.spec = "ibv_post_send(3), ibv_create_ah_from_wc(3)",
	.needs = VB_NEED_UD, .limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("UD-01", "UD-09", "CMP-18", "CMP-19"),
	.defects = VB_LIST("UD-02", "UD-03"), .kills = VB_LIST("R15"),
	.run = run);
