// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An armed CQ raises its event for the completion of each kind of request: what
 * is sent, written, read or counted, what is bound or invalidated, and what the
 * peer sends or writes with an immediate.
 */
#include <verbatim/case.h>

enum { ROOM = 64, DEPTH = 4, QUIET_MS = 2 };

struct scene {
	struct vb_pair *p;
	struct vb_object *cq, *to; /* of a; at b */
	uint32_t at;
};

static void told(struct scene *s, struct vb_wr *wr)
{
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	vb_expect_cq_event(s->cq);
	vb_expect_no_cq_event(s->cq, QUIET_MS);
}

static void own(struct vb_test *t, struct scene *s, enum vb_op op)
{
	bool atomic = op == VB_FETCH_ADD || op == VB_CMP_SWAP;

	if (atomic && !vb_atomic_access(vb_end_pd(vb_b(t))))
		return;
	if (op == VB_SEND)
		vb_post_recv(s->p->b, .len = ROOM);
	vb_arm(s->cq, false);
	told(s,
	     vb_post_send(s->p->a, .op = op, .to = op == VB_SEND ? NULL : s->to,
			  .offset = op == VB_SEND ? 0 : s->at,
			  .len = atomic ? 0 : ROOM / 2, .add = 1));
}

static void of_peer(struct vb_test *t, struct scene *s, bool write)
{
	struct vb_object *to = vb_create_target(vb_qp_pd(s->p->a), ROOM);
	struct vb_wr *recv = vb_post_recv(s->p->a, .len = ROOM);

	vb_arm(s->cq, false);
	if (write)
		vb_post_write(s->p->b, .to = to, .len = ROOM, .imm = VB_SET(5));
	else
		vb_post_send(s->p->b, .len = ROOM);
	told(s, recv);
}

static void windows(struct vb_test *t, struct scene *s)
{
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(s->p->a), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw =
		vb_try_create_mw(vb_qp_pd(s->p->a), IBV_MW_TYPE_2);

	if (!mw) {
		vb_note(t, "there are no windows of type 2");
		return;
	}
	vb_arm(s->cq, false);
	told(s, vb_bind_mw(s->p->a, mw, .mr = mr, .len = ROOM,
			   .access = IBV_ACCESS_REMOTE_READ));
	vb_arm(s->cq, false);
	told(s, vb_post_local_inv(s->p->a, .invalidate = mw));
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_a(t));
	struct scene s = { .cq = vb_create_cq(vb_a(t), .channel = channel,
					      .manual = true) };
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH, .send_cq = s.cq,
				       .recv_cq = s.cq);

	s.p = vb_join(a, vb_create_qp(vb_b(t), .depth = DEPTH));
	s.to = vb_create_target(vb_qp_pd(s.p->b), 2 * ROOM);
	s.at = (8 - vb_mr_address(s.to) % 8) % 8;
	own(t, &s, VB_SEND);
	own(t, &s, VB_WRITE);
	own(t, &s, VB_READ);
	own(t, &s, VB_FETCH_ADD);
	own(t, &s, VB_CMP_SWAP);
	of_peer(t, &s, false);
	of_peer(t, &s, true);
	windows(t, &s);
	vb_ack_cq(s.cq);
	vb_expect_settled(s.p);
}

VB_CASE(cq_event_kinds, .id = "cq/event-kinds",
	.title = "the completion of any kind of request raises an event",
	.spec = "ibv_req_notify_cq(3)",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM | VB_NEED_EVENT,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CQ-06", "CQ-11"),
	.defects = VB_LIST("EVT-02", "EVT-05"), .kills = VB_LIST("D92"),
	.run = run);
