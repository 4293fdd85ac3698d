// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * As many entries as the QP was created with can be used, on both sides and
 * all with data; one more is refused when posted, and the QP goes on working.
 */
#include <verbatim/case.h>

/* More are not laid out by an end. */
enum { SGES_MAX = 32, PIECE = 100 };

static void message(struct vb_pair *p, uint32_t send_sges, uint32_t recv_sges)
{
	uint32_t bytes = PIECE * send_sges;
	struct vb_wr *recv, *send;

	if (bytes < recv_sges)
		bytes = recv_sges;
	recv = vb_post_recv(p->b, .len = bytes, .sges = recv_sges);
	send = vb_post_send(p->a, .len = bytes, .sges = send_sges);
	vb_expect_message(send, recv);
}

static void limit(struct vb_test *t, uint32_t sges)
{
	struct vb_pair *p = vb_connect(t, .depth = 4, .sges = sges);
	uint32_t sends = vb_qp_cap(p->a)->max_send_sge;
	uint32_t recvs = vb_qp_cap(p->b)->max_recv_sge;

	message(p, sges, sges);
	if (sends < SGES_MAX)
		vb_post_send_refused(p->a, .len = 4000, .sges = sends + 1);
	if (recvs < SGES_MAX)
		vb_post_recv_refused(p->b, .len = 4000, .sges = recvs + 1);
	message(p, sges, 1);
	message(p, 1, sges);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	uint32_t max = (uint32_t)vb_device_attr(vb_a(t))->max_sge;

	limit(t, 1);
	limit(t, 2);
	limit(t, 3);
	limit(t, max < SGES_MAX ? max : SGES_MAX);
}

VB_CASE(sge_limit, .id = "sge/limit",
	.title = "all entries of a list can be used, one more is refused",
	.spec = "ibv_create_qp(3): max_send_sge, max_recv_sge",
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("PST-04", "RES-06", "SGE-01", "SGE-02", "CMP-01"),
	.defects = VB_LIST("SGE-05", "SGE-07", "SGE-09", "POST-06"),
	.run = run);
