// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a transport does not have is refused when posted, or fails where it was
 * posted; it is not executed, and nothing of it is seen at the peer: READ and
 * atomics on UC, all but SENDs on UD, opcodes that nobody knows.
 */
#include <verbatim/case.h>

enum { ROOM = 64, QUIET_MS = 5, FOREIGN = 0x7b };

static void never(struct vb_test *t, struct vb_pair *p, struct vb_object *to,
		  unsigned opcode)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = ROOM);
	struct vb_wr *wr = vb_try_post_send(p->a, .raw_opcode = VB_SET(opcode),
					    .op = VB_READ, .to = to, .len = 8);

	if (wr)
		vb_expect_wc_among(wr, IBV_WC_LOC_QP_OP_ERR, IBV_WC_LOC_LEN_ERR,
				   IBV_WC_GENERAL_ERR, IBV_WC_LOC_PROT_ERR);
	vb_expect_pending(recv, QUIET_MS);
	vb_expect_untouched(recv);
	vb_expect_memory(to);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_reconnect(p);
}

static void transport(struct vb_test *t, enum ibv_qp_type type,
		      const unsigned *opcodes, unsigned count)
{
	struct vb_pair *p = vb_connect(t, .type = type, .depth = 4);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);

	for (unsigned i = 0; i < count; i++)
		never(t, p, to, opcodes[i]);
	vb_expect_settled(p);
}

static void run_uc(struct vb_test *t)
{
	static const unsigned opcodes[] = { IBV_WR_RDMA_READ,
					    IBV_WR_ATOMIC_CMP_AND_SWP,
					    IBV_WR_ATOMIC_FETCH_AND_ADD };

	transport(t, IBV_QPT_UC, opcodes, 3);
}

static void run_ud(struct vb_test *t)
{
	static const unsigned opcodes[] = { IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE,
					    IBV_WR_RDMA_WRITE_WITH_IMM,
					    IBV_WR_ATOMIC_CMP_AND_SWP,
					    IBV_WR_ATOMIC_FETCH_AND_ADD };

	transport(t, IBV_QPT_UD, opcodes, 5);
}

static void run_unknown(struct vb_test *t)
{
	static const unsigned opcodes[] = { 0xff, FOREIGN };

	transport(t, IBV_QPT_RC, opcodes, 2);
}

/* The opcode that makes no sense has no builder function to be said with. */
VB_CASE(opcode_wrong_type_uc, .id = "opcode/wrong-type-uc",
	.title = "UC has neither READ nor atomics",
	.spec = "ibv_post_send(3): opcodes by type", .dimension = VB_FAULT,
	.needs = VB_NEED_UC, .limit_ms = 15000,
	.fixed = VB_PATH_BUILDER | VB_PATH_SRQ,
	.rules = VB_LIST("PST-09", "UC-03", "WCS-02"), .run = run_uc);

VB_CASE(opcode_wrong_type_ud, .id = "opcode/wrong-type-ud",
	.title = "UD has nothing but SENDs",
	.spec = "ibv_post_send(3): opcodes by type", .dimension = VB_FAULT,
	.needs = VB_NEED_UD, .limit_ms = 15000,
	.fixed = VB_PATH_BUILDER | VB_PATH_SRQ,
	.rules = VB_LIST("PST-09", "WCS-02"), .run = run_ud);

VB_CASE(opcode_wrong_type_unknown, .id = "opcode/wrong-type-unknown",
	.title = "an opcode that nobody knows is not executed",
	.spec = "ibv_post_send(3)", .dimension = VB_FAULT, .needs = VB_NEED_RC,
	.limit_ms = 15000, .fixed = VB_PATH_BUILDER | VB_PATH_SRQ,
	.rules = VB_LIST("PST-10"), .run = run_unknown);
