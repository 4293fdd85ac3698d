// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A send queue takes as many requests as it was made for, and refuses the next
 * one, alone and in a list; all that were accepted are executed, in order.
 *
 * The peer has no receive, so that nothing can be done in the meantime.  Where
 * in its ring a queue is full makes no difference, and what is refused leaves
 * no trace in what was accepted.
 */
#include <verbatim/case.h>

enum { BYTES = 40, DEPTH_MAX = 1024 };

static void overfill(struct vb_test *t, uint32_t depth, uint32_t before)
{
	struct vb_pair *p = vb_connect(t, .send_depth = VB_SET(depth),
				       .recv_depth = VB_SET(depth),
				       .attr = { .rnr_retry = VB_SET(7) });
	uint32_t cap = vb_qp_cap(p->a)->max_send_wr;
	struct vb_wr *sends[DEPTH_MAX], *recv;
	/* iWARP has no immediate data. */
	const bool has = vb_transport(vb_a(t)) != IBV_TRANSPORT_IWARP;
	const struct vb_value imm = { .set = has, .value = depth };
	const struct vb_value other = { .set = has, .value = depth + 1 };
	const struct vb_send_args two[2] = { { .len = BYTES, .imm = imm },
					     { .len = 7, .imm = other } };

	if (cap > DEPTH_MAX)
		vb_skip(t, "a queue of %u was asked for, it has %u", depth,
			cap);
	if (before)
		vb_stream(p, .messages = before, .inflight = 1);
	for (uint32_t i = 0; i + 1 < cap; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES);
	vb_post_send_list(p->a, 2, two, 1, &sends[cap - 1]);
	if (vb_posts_whole(p->a))
		sends[cap - 1] = vb_post_send(p->a, .len = BYTES, .imm = imm);
	vb_post_send_refused(p->a, .len = BYTES / 2, .imm = other);
	vb_post_send_refused(p->a, .len = 0, .unsignaled = true);
	for (uint32_t i = 0; i < cap; i++) {
		recv = vb_post_recv(p->b, .len = BYTES);
		vb_expect_message(sends[i], recv);
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

VB_CASE(queue_send_overfill, .id = "queue/send-overfill",
	.title = "a full send queue refuses the next request",
	.spec = "ibv_post_send(3), ibv_create_qp(3): max_send_wr",
	.needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("PST-02", "PST-03", "RES-04", "CMP-02"),
	.defects = VB_LIST("POST-04", "CAPS-02", "POST-02"),
	.kills = VB_LIST("R11", "M51"), .run = run);
