// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A CQ armed for solicited entries alone raises its event for a receive whose
 * sender asked for it, of one packet or of many, and for an error; not for
 * other receives, and not for sends.
 *
 * "Any" after "solicited" widens the request; the reverse does not narrow it.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 10, SMALL = 32, DEPTH = 8, PACKETS = 3 };

struct scene {
	struct vb_object *cq;
	struct vb_pair *p;
	uint32_t large;
};

static void message(struct scene *s, uint32_t len, bool solicited)
{
	struct vb_wr *recv = vb_post_recv(s->p->b, .len = s->large);

	vb_expect_message(vb_post_send(s->p->a, .len = len,
				       .solicited = solicited),
			  recv);
}

static void solicited(struct scene *s, uint32_t len)
{
	vb_arm(s->cq, true);
	message(s, len, false);
	/* A send of its own is no reason either. */
	vb_expect_message(vb_post_send(s->p->b, .len = len, .solicited = true),
			  vb_post_recv(s->p->a, .len = s->large));
	vb_expect_no_cq_event(s->cq, QUIET_MS);
	message(s, len, true);
	vb_expect_cq_event(s->cq);
	message(s, len, true);
	vb_expect_no_cq_event(s->cq, QUIET_MS);
}

static void widened(struct scene *s)
{
	vb_arm(s->cq, true);
	vb_arm(s->cq, false);
	message(s, SMALL, false);
	vb_expect_cq_event(s->cq);
	vb_arm(s->cq, false);
	vb_arm(s->cq, true);
	message(s, SMALL, false);
	vb_expect_cq_event(s->cq);
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct scene s = { .cq = vb_create_cq(vb_b(t), .channel = channel,
					      .manual = true),
			   .large = PACKETS * vb_mtu(vb_b(t)) };
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = DEPTH, .send_cq = s.cq,
				       .recv_cq = s.cq);
	struct vb_wr *recv;

	s.p = vb_join(a, b);
	solicited(&s, SMALL);
	solicited(&s, s.large);
	solicited(&s, 0);
	widened(&s);
	recv = vb_post_recv(b, .len = SMALL);
	vb_arm(s.cq, true);
	vb_modify(b, IBV_QPS_ERR);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
	vb_expect_cq_event(s.cq);
	vb_ack_cq(s.cq);
}

VB_CASE(cq_solicited, .id = "cq/solicited",
	.title = "armed for solicited entries, a CQ minds no others",
	.spec = "ibv_req_notify_cq(3)", .needs = VB_NEED_RC | VB_NEED_EVENT,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CQ-08", "CQ-09"),
	.defects = VB_LIST("IMM-04", "EVT-02"), .kills = VB_LIST("R06"),
	.run = run);
