// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A list of receives that is longer than the room in an SRQ is refused at the
 * first that does not fit; those before it, and those that were there, are all
 * used, once.
 */
#include <verbatim/case.h>

enum { DEPTH = 16, EXCESS = 3, BYTES = 128, BEFORE = 2 };

static void round_of(struct vb_pair *p, uint32_t size)
{
	struct vb_wr *recvs[VB_LIST_MAX], *sends[VB_LIST_MAX];
	struct vb_recv_args args[VB_LIST_MAX] = { 0 };
	uint32_t rest = size - BEFORE;

	for (uint32_t i = 0; i < rest + EXCESS; i++)
		args[i].len = BYTES + i;
	for (uint32_t i = 0; i < BEFORE; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	vb_post_recv_list(p->b, rest + EXCESS, args, rest, recvs + BEFORE);
	for (uint32_t i = 0; i < size; i++) {
		sends[i] = vb_post_send(p->a, .len = i % BYTES);
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
	}
	for (uint32_t i = 0; i < size; i++)
		vb_expect_some_message(recvs[i]);
}

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	uint32_t size = vb_srq_attr(srq)->max_wr;
	struct vb_pair *p = vb_connect(t, .depth = 8, .srq_b = srq);

	if (size + EXCESS > VB_LIST_MAX)
		vb_skip(t, "an SRQ of %d was asked for, it has %u", DEPTH,
			size);
	for (unsigned i = 0; i < 4; i++) {
		round_of(p, size);
		/* The next one begins elsewhere in the ring. */
		vb_stream(p, .messages = 3, .inflight = 1);
	}
	vb_expect_all_settled(t);
}

VB_CASE(srq_list_overfill, .id = "srq/list-overfill",
	.title = "a list too long for an SRQ is refused where it does not fit",
	.spec = "ibv_post_srq_recv(3)", .needs = VB_NEED_RC | VB_NEED_SRQ,
	.limit_ms = 10000, .rules = VB_LIST("PST-17", "PST-02", "SRQ-14"),
	.defects = VB_LIST("SRQ-04", "SRQ-10"), .kills = VB_LIST("M12"),
	.run = run);
