// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whatever brings a receive its completion, a SEND with or without immediate, a
 * WRITE with immediate, a datagram: marked by its sender it wakes a CQ that is
 * armed for solicited completions, and unmarked it does not, not even behind a
 * marked one.
 */
#include <verbatim/case.h>

enum { QUIET_MS = 5, BYTES = 48, DEPTH = 4 };

struct kind {
	enum vb_op op;
	bool imm;
};

static void message(struct vb_pair *p, struct vb_object *to, struct kind kind,
		    bool solicited)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_send_args args = { .op = kind.op,
				     .len = BYTES,
				     .solicited = solicited,
				     .to = kind.op == VB_WRITE ? to : NULL };

	if (kind.imm)
		args.imm = VB_SET(0x50110000 + kind.op);
	vb_expect_message(vb_post_send_args(p->a, &args), recv);
}

static void each(struct vb_test *t, enum ibv_qp_type type,
		 const struct kind *kinds, unsigned count)
{
	struct vb_object *channel = vb_create_channel(vb_b(t));
	struct vb_object *cq =
		vb_create_cq(vb_b(t), .channel = channel, .manual = true);
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p =
		vb_join(vb_create_qp(vb_a(t), .type = type, .depth = DEPTH),
			vb_create_qp(vb_b(t), .type = type, .depth = DEPTH,
				     .recv_cq = cq));

	for (unsigned i = 0; i < count; i++) {
		vb_arm(cq, true);
		message(p, to, kinds[i], true);
		vb_expect_cq_event(cq);
		vb_arm(cq, true);
		message(p, to, kinds[i], false);
		vb_expect_no_cq_event(cq, QUIET_MS);
		message(p, to, kinds[i], true);
		vb_expect_cq_event(cq);
	}
	vb_ack_cq(cq);
	vb_expect_settled(p);
}

static void run_rc(struct vb_test *t)
{
	static const struct kind kinds[] = { { VB_SEND, false },
					     { VB_SEND, true },
					     { VB_WRITE, true } };

	each(t, IBV_QPT_RC, kinds, 3);
}

static void run_ud(struct vb_test *t)
{
	static const struct kind kinds[] = { { VB_SEND, false },
					     { VB_SEND, true } };

	each(t, IBV_QPT_UD, kinds, 2);
}

VB_CASE(cq_solicited_kinds_rc, .id = "cq/solicited-kinds-rc",
	.title = "RC: each kind of message can be a solicited one",
	.spec = "ibv_post_send(3): IBV_SEND_SOLICITED",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_EVENT | VB_NEED_IMM,
	.limit_ms = 10000, .rules = VB_LIST("MSG-12", "CQ-08"),
	.defects = VB_LIST("IMM-03", "IMM-04"), .kills = VB_LIST("D49"),
	.run = run_rc);
VB_CASE(cq_solicited_kinds_ud, .id = "cq/solicited-kinds-ud",
	.title = "UD: each kind of datagram can be a solicited one",
	.spec = "ibv_post_send(3): IBV_SEND_SOLICITED",
	.needs = VB_NEED_UD | VB_NEED_EVENT, .limit_ms = 10000,
	.rules = VB_LIST("MSG-12", "CQ-08"),
	.defects = VB_LIST("IMM-03", "IMM-04"), .kills = VB_LIST("D49"),
	.run = run_ud);
