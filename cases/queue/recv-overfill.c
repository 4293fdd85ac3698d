// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive queue takes as many requests as it was made for, and refuses the
 * next one, alone and in a list, wherever in its ring it is full; each accepted
 * one then takes a message.
 */
#include <verbatim/case.h>

enum { BYTES = 40, DEPTH_MAX = 1024 };

static void overfill(struct vb_test *t, uint32_t depth, uint32_t before)
{
	struct vb_pair *p = vb_connect(t, .send_depth = VB_SET(depth),
				       .recv_depth = VB_SET(depth));
	uint32_t cap = vb_qp_cap(p->b)->max_recv_wr;
	struct vb_wr *recvs[DEPTH_MAX], *send;
	const struct vb_recv_args two[2] = { { .len = BYTES },
					     { .len = BYTES } };

	if (cap > DEPTH_MAX)
		vb_skip(t, "a queue of %u was asked for, it has %u", depth,
			cap);
	if (before)
		vb_stream(p, .messages = before, .inflight = 1);
	for (uint32_t i = 0; i + 1 < cap; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	vb_post_recv_list(p->b, 2, two, 1, &recvs[cap - 1]);
	vb_post_recv_refused(p->b, .len = BYTES);
	for (uint32_t i = 0; i < cap; i++) {
		send = vb_post_send(p->a, .len = i % (BYTES + 1));
		vb_expect_message(send, recvs[i]);
	}
	vb_stream(p, .messages = 2 * depth, .inflight = depth);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	overfill(t, 1, 0);
	overfill(t, 4, 3);
	overfill(t, 15, 0);
}

VB_CASE(queue_recv_overfill, .id = "queue/recv-overfill",
	.title = "a full receive queue refuses the next request",
	.spec = "ibv_post_recv(3), ibv_create_qp(3): max_recv_wr",
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("PST-02", "PST-17", "RES-04", "CMP-03"),
	.defects = VB_LIST("CAPS-02", "POST-02", "SRQ-04"),
	.kills = VB_LIST("R11"), .run = run);
