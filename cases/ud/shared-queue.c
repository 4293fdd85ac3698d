// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Datagrams draw their receives from an SRQ: they count towards its limit, and
 * one that is dropped, for its Q_Key or because the receive is too short for
 * it, costs none.
 */
#include <verbatim/case.h>

enum { DEPTH = 6, LIMIT = 3, BYTES = 120, HEADER = 40, QUIET_MS = 5 };

static struct vb_wr *receive(struct vb_object *srq)
{
	return vb_post_srq_recv(srq, .len = HEADER + BYTES, .bare = true);
}

/* Each receive of the queue serves a datagram. */
static void use_all(struct vb_pair *p, struct vb_wr **recvs)
{
	for (unsigned i = 0; i < DEPTH; i++)
		vb_expect_message(vb_post_send(p->a, .len = BYTES - i),
				  recvs[i]);
}

static void limit(struct vb_pair *p, struct vb_object *srq)
{
	struct vb_wr *recvs[DEPTH];

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = receive(srq);
	vb_arm_srq(srq, LIMIT);
	use_all(p, recvs);
	vb_expect_srq_limit(srq);
}

static void dropped(struct vb_pair *p, struct vb_object *srq)
{
	struct vb_wr *recvs[DEPTH], *wrong;

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = receive(srq);
	for (unsigned i = 0; i < 2; i++) {
		wrong = vb_post_send(p->a, .len = BYTES,
				     .remote_qkey = VB_SET(0x1234 + i));
		vb_expect_wc(wrong, IBV_WC_SUCCESS);
		vb_expect_dropped(wrong, QUIET_MS);
	}
	use_all(p, recvs);
}

/* False: the device tells of it by an error. */
static bool too_short(struct vb_test *t, struct vb_pair *p,
		      struct vb_object *srq)
{
	struct vb_wr *recvs[DEPTH], *wrong;
	bool told = false;

	for (unsigned i = 0; i < DEPTH; i++)
		recvs[i] = receive(srq);
	wrong = vb_post_send(p->a, .len = BYTES + 1);
	vb_expect_scenario(t, "S33", wrong, recvs[0]);
	vb_expect_dropped(wrong, QUIET_MS);
	for (unsigned i = 0; i < DEPTH; i++)
		told |= vb_completed(recvs[i]);
	if (told || vb_state(p->b) != IBV_QPS_RTS) {
		vb_note(t, "a receive that is too short ends with an error");
		return false;
	}
	use_all(p, recvs);
	return true;
}

static void run(struct vb_test *t)
{
	struct vb_object *srq =
		vb_create_srq(vb_end_pd(vb_b(t)), .depth = VB_SET(DEPTH));
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_UD,
				       .depth = 2 * DEPTH, .srq_b = srq);

	limit(p, srq);
	dropped(p, srq);
	if (too_short(t, p, srq))
		vb_expect_all_settled(t);
}

VB_CASE(ud_shared_queue, .id = "ud/shared-queue",
	.title =
		"datagrams use the receives of an SRQ, and dropped ones do not",
	.spec = "ibv_modify_srq(3); InfiniBand: unreliable datagrams",
	.needs = VB_NEED_UD | VB_NEED_SRQ, .limit_ms = 10000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("SRQ-01", "SRQ-05", "UD-04", "UD-07"),
	.defects = VB_LIST("UD-02", "SRQ-01", "SRQ-12"),
	.kills = VB_LIST("D78", "D79"), .run = run);
