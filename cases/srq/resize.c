// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An SRQ that is resized keeps the receives that are in it: they take their
 * messages afterwards, and so do those for which there was no room before.  To
 * fewer than it holds it is not shrunk.
 */
#include <verbatim/case.h>

enum { DEPTH = 16, BYTES = 48, MANY = 512 };

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .srq_b = srq);
	uint32_t first = vb_srq_attr(srq)->max_wr, size;
	struct vb_wr *recvs[MANY];

	if (!(vb_device_attr(vb_a(t))->device_cap_flags &
	      IBV_DEVICE_SRQ_RESIZE)) {
		vb_modify_srq_refused(srq, IBV_SRQ_MAX_WR, 2 * first, 0);
		vb_note(t, "the device does not resize SRQs, and refuses it");
		vb_expect_settled(p);
		return;
	}
	if (2 * first > MANY)
		vb_skip(t, "an SRQ of %d was asked for, it has %u", DEPTH,
			first);
	for (uint32_t i = 0; i < first; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_post_srq_recv_refused(srq, .len = BYTES);
	vb_check(t, VB_FIND_WRONG_RETURN, vb_try_resize_srq(srq, 2 * first),
		 "an SRQ of %u that is full was not resized to %u", first,
		 2 * first);
	size = vb_srq_attr(srq)->max_wr < MANY ? vb_srq_attr(srq)->max_wr
					       : MANY;
	for (uint32_t i = first; i < size; i++)
		recvs[i] = vb_post_srq_recv(srq, .len = BYTES);
	vb_modify_srq_refused(srq, IBV_SRQ_MAX_WR, first - 1, 0);
	for (uint32_t i = 0; i < size; i++) {
		struct vb_wr *send = vb_post_send(p->a, .len = i % BYTES);

		vb_expect_wc(send, IBV_WC_SUCCESS);
	}
	for (uint32_t i = 0; i < size; i++)
		vb_expect_some_message(recvs[i]);
	vb_expect_settled(p);
}

VB_CASE(srq_resize, .id = "srq/resize",
	.title = "an SRQ that is resized keeps what is in it",
	.spec = "ibv_modify_srq(3): IBV_SRQ_MAX_WR",
	.needs = VB_NEED_RC | VB_NEED_SRQ, .limit_ms = 15000,
	.rules = VB_LIST("SRQ-09", "SRQ-14", "PST-17"), .run = run);
