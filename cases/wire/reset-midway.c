// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Both ends are reset in the middle of a message of several packets, the last
 * of which the wire has kept: of what had come of it, the next life knows
 * nothing, whichever kind of message it begins with.
 */
#include <verbatim/case.h>

enum { PACKETS = 4, LIVES = 8, DEPTH = 4 };

/* What begins and never ends: a WRITE when there is a target, or a SEND. */
static void half(struct vb_test *t, struct vb_pair *p, struct vb_object *to,
		 uint32_t bytes)
{
	struct vb_wr *left;

	vb_post_recv(p->b, .len = bytes);
	vb_wire_spoil(t, to ? "drop:op=RC_WRITE_LAST" : "drop:op=RC_SEND_LAST");
	left = to ? vb_post_write(p->a, .to = to, .len = bytes)
		  : vb_post_send(p->a, .len = bytes);
	while (vb_wire_acted(t, 0) == 0)
		vb_let_pass(t, 1);
	vb_expect_pending(left, 0);
	vb_reconnect(p);
	vb_wire_heal(t);
}

static void whole(struct vb_pair *p, struct vb_object *to, uint32_t len)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = len);
	struct vb_wr *first = to ? vb_post_write(p->a, .to = to, .len = len)
				 : vb_post_send(p->a, .len = len);

	if (to) {
		vb_expect_wc(first, IBV_WC_SUCCESS);
		first = vb_post_send(p->a, .len = len);
	}
	vb_expect_message(first, recv);
	recv = vb_post_recv(p->a, .len = len);
	vb_expect_message(vb_post_send(p->b, .len = len), recv);
}

static void run(struct vb_test *t)
{
	uint32_t mtu = vb_mtu(vb_b(t)), bytes = PACKETS * mtu;
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);

	for (unsigned i = 0; i < LIVES; i++) {
		struct vb_object *lost =
			vb_create_target(vb_qp_pd(p->b), bytes);
		struct vb_object *to = vb_create_target(vb_qp_pd(p->b), bytes);

		half(t, p, i & 1 ? lost : NULL, bytes);
		whole(p, i & 2 ? to : NULL, i & 4 ? bytes : mtu / 2);
		vb_expect_memory(to);
	}
	vb_expect_settled(p);
}

VB_CASE(wire_reset_midway, .id = "wire/reset-midway",
	.title = "a RESET forgets the message in whose middle it came",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_FAULTS,
	.limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("QPS-14", "CON-01", "MSG-16", "TDN-06"),
	.defects = VB_LIST("QPSM-13", "SRQ-19", "POST-06"),
	.kills = VB_LIST("M46"), .run = run);
