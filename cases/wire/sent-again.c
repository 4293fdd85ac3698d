// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a request carries is carried again when it is lost, or refused for want
 * of a receive: inline data though their buffer was overwritten meanwhile, a
 * gather list to its last entry, the immediate, and the wish for an event.
 */
#include <verbatim/case.h>

enum { MTU = 256, SMALL = 60, TIMEOUT = 13, DEPTH = 4, KINDS = 4 };

struct scene {
	struct vb_pair *p;
	struct vb_object *cq;
	uint32_t inline_max;
};

static struct vb_send_args request(const struct scene *s, unsigned kind)
{
	struct vb_send_args args = { .imm = VB_SET(0xfeedbe00 + kind),
				     .solicited = true };

	switch (kind) {
	case 0:
		args.len = SMALL < s->inline_max ? SMALL : s->inline_max;
		args.inlined = args.scribble = true;
		break;
	case 1:
		args.len = 3 * MTU + 7;
		args.sges = 3;
		break;
	case 2:
		args.len = SMALL;
		args.sges = 2;
		break;
	default:
		args.len = 2 * MTU;
		break;
	}
	return args;
}

static void again(struct vb_test *t, const struct scene *s, unsigned kind,
		  bool refused)
{
	const struct vb_send_args args = request(s, kind);
	struct vb_wr *recv = NULL, *send;

	vb_arm(s->cq, true);
	if (refused) {
		vb_wire_spoil(t, "delay:op=rnr,us=1");
	} else {
		recv = vb_post_recv(s->p->b, .len = args.len);
		vb_wire_spoil(t, "drop:op=send,count=1,dir=tx");
	}
	send = vb_post_send_args(s->p->a, &args);
	while (vb_wire_acted(t, 0) == 0)
		vb_let_pass(t, 1);
	vb_wire_heal(t);
	if (refused)
		recv = vb_post_recv(s->p->b, .len = args.len);
	vb_expect_message(send, recv);
	vb_expect_cq_event(s->cq);
}

static void run(struct vb_test *t)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct scene s = { .cq = vb_create_cq(vb_b(t), .channel = channel,
					      .manual = true) };
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = DEPTH, .sges = 3,
				       .inline_max = SMALL);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = DEPTH, .send_cq = s.cq,
				       .recv_cq = s.cq);

	s.inline_max = vb_qp_cap(a)->max_inline_data;
	s.p = vb_introduce(a, b);
	vb_modify(a, IBV_QPS_INIT);
	vb_modify(b, IBV_QPS_INIT);
	vb_modify(a, IBV_QPS_RTR, .mtu = VB_SET(MTU));
	vb_modify(b, IBV_QPS_RTR, .mtu = VB_SET(MTU));
	vb_modify(a, IBV_QPS_RTS, .timeout = VB_SET(TIMEOUT),
		  .retry = VB_SET(7), .rnr_retry = VB_SET(7));
	vb_modify(b, IBV_QPS_RTS);
	for (unsigned kind = 0; kind < KINDS; kind++) {
		again(t, &s, kind, false);
		again(t, &s, kind, true);
	}
	vb_ack_cq(s.cq);
	vb_expect_settled(s.p);
}

VB_CASE(wire_sent_again, .id = "wire/sent-again",
	.title = "a request that is sent again is the same request",
	.spec = "InfiniBand: retransmission; ibv_post_send(3): send_flags",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_IMM | VB_NEED_RETRY | VB_NEED_EVENT |
		 VB_NEED_FAULTS,
	.limit_ms = 15000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("RNR-09", "PST-07", "MSG-12", "SGE-01", "CMP-16"),
	.defects = VB_LIST("DATA-11", "IMM-04", "INL-02"),
	.kills = VB_LIST("D97", "D98"), .run = run);
