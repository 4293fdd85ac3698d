// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A fenced request of each kind waits for the READ or atomic before it, whose
 * answer the wire keeps losing: the peer hears nothing of it before that one
 * has completed.
 */
#include <verbatim/case.h>

enum { BYTES = 64, QUIET_MS = 4, TIMEOUT = 12 };

static const struct fenced {
	const char *name;
	enum vb_op op;
	bool imm;
} fenced[] = {
	{ "SEND", VB_SEND, false },
	{ "SEND WITH IMM", VB_SEND, true },
	{ "WRITE", VB_WRITE, false },
	{ "WRITE WITH IMM", VB_WRITE, true },
};

enum { FENCED = sizeof(fenced) / sizeof(fenced[0]) };

static struct vb_wr *held(struct vb_pair *p, const struct fenced *f,
			  struct vb_object *to)
{
	const struct vb_value imm = { .set = f->imm, .value = 5 };

	return f->op == VB_SEND ? vb_post_send(p->a, .len = BYTES,
					       .fence = true, .imm = imm)
				: vb_post_write(p->a, .to = to, .len = BYTES,
						.fence = true, .imm = imm);
}

static void attempt(struct vb_test *t, struct vb_pair *p, bool atomic,
		    const struct fenced *f)
{
	struct vb_object *from = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);
	uint32_t at = (8 - vb_mr_address(from) % 8) % 8;
	struct vb_wr *first, *behind, *recv = NULL;
	uint64_t was = vb_load(to, 0);

	vb_wire_spoil(t, "drop:op=%s",
		      atomic ? "RC_ATOMIC_ACK" : "RC_READ_RESP_ONLY");
	if (f->op == VB_SEND || f->imm)
		recv = vb_post_recv(p->b, .len = BYTES);
	first = atomic ? vb_post_fetch_add(p->a, .to = from, .offset = at,
					   .add = 1)
		       : vb_post_read(p->a, .to = from, .len = BYTES);
	behind = held(p, f, to);
	while (vb_wire_acted(t, 0) == 0)
		vb_let_pass(t, 1);
	vb_let_pass(t, QUIET_MS);
	vb_check(t, VB_FIND_EARLY,
		 vb_load(to, 0) == was && !(recv && vb_completed(recv)),
		 "a fenced %s came to the peer before the %s before it had "
		 "ended",
		 f->name, atomic ? "FETCH_ADD" : "READ");
	vb_wire_heal(t);
	vb_expect_wc(first, IBV_WC_SUCCESS);
	if (recv)
		vb_expect_message(behind, recv);
	else
		vb_expect_wc(behind, IBV_WC_SUCCESS);
	vb_expect_memory(to);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 4,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(7) });

	for (unsigned i = 0; i < FENCED; i++) {
		attempt(t, p, false, &fenced[i]);
		if (vb_atomic_access(vb_end_pd(vb_b(t))))
			attempt(t, p, true, &fenced[i]);
	}
	vb_expect_settled(p);
}

VB_CASE(wire_fence_holds, .id = "wire/fence-holds",
	.title = "a fenced request of each kind waits for what it must",
	.spec = "ibv_post_send(3): IBV_SEND_FENCE",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_IMM | VB_NEED_RETRY |
		 VB_NEED_FAULTS,
	.limit_ms = 15000, .rules = VB_LIST("RMA-04", "MSG-12"),
	.defects = VB_LIST("READ-01", "IMM-03"), .kills = VB_LIST("R19"),
	.run = run);
