// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Faults of the application: receives, queues and buffers used wrongly. */
#include "fault.h"

enum { DEPTH = 4, FULL = 64, QKEY = 0x1234567 };

static void run_no_receive(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(2) });

	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(no_receive, "app/no-receive", VB_NEED_RC, .fixed = VB_PATH_SRQ);

/* The first of two has one. */
static void run_one_receive(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(1) });

	message(p);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(one_receive, "app/one-receive", VB_NEED_RC, .fixed = VB_PATH_SRQ);

/* It is there when the case looks, and was not when it was needed. */
static void run_rnr_retry_zero(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr_a = { .rnr_retry = VB_SET(0) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	while (!vb_completed(send))
		vb_let_pass(t, 1);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}
FAULT(rnr_retry_zero, "app/rnr-retry-zero", VB_NEED_RC, .fixed = VB_PATH_SRQ);

static void run_never_ready(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(7) });

	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_SUCCESS);
}
FAULT(never_ready, "app/never-ready", VB_NEED_RC, .fixed = VB_PATH_SRQ);

static void run_receive_short(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES - 1);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}
FAULT(receive_short, "app/receive-short", VB_NEED_RC);

static void run_cq_small(struct vb_test *t)
{
	struct vb_object *cq = vb_create_cq(vb_a(t), .cqe = VB_SET(DEPTH));
	struct vb_qp *a = vb_create_qp(vb_a(t), .depth = FULL, .send_cq = cq,
				       .recv_cq = cq);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = FULL);
	struct vb_wr *wr = NULL;

	vb_join(a, b);
	vb_hold_cq(cq);
	for (unsigned i = 0; i < FULL / 2; i++)
		vb_post_recv(b, .len = BYTES);
	for (unsigned i = 0; i < FULL / 2; i++)
		wr = vb_post_send(a, .len = BYTES);
	vb_let_pass(t, 20);
	vb_release_cq(cq);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
}
FAULT(cq_small, "app/cq-small", VB_NEED_RC);

/* No completion ever frees the queue. */
static void run_unsignaled(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH);

	for (unsigned i = 0; i <= FULL; i++)
		vb_post_send(p->a, .len = 8, .unsignaled = true);
}
FAULT(unsignaled, "app/unsignaled", VB_NEED_RC);

static void run_reused(struct vb_test *t)
{
	struct vb_pair *p =
		vb_connect(t, .depth = 2, .attr = { .rnr_retry = VB_SET(7) });
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES, .scribble = true);

	vb_let_pass(t, 2);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}
FAULT(reused, "app/reused", VB_NEED_RC, .fixed = VB_PATH_SRQ);

static void run_send_in_init(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .state = IBV_QPS_INIT);

	vb_post_send(p->a, .len = BYTES);
}
FAULT(send_in_init, "app/send-in-init", VB_NEED_RC);

static void run_receive_in_reset(struct vb_test *t)
{
	vb_post_recv(vb_create_qp(vb_b(t), .depth = 2), .len = BYTES);
}
FAULT(receive_in_reset, "app/receive-in-reset", VB_NEED_RC,
      .fixed = VB_PATH_SRQ);

static void run_many_sges(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2, .sges = 1);
	uint32_t most = vb_qp_cap(p->a)->max_send_sge;

	vb_post_send(p->a, .len = BYTES, .sges = most + 1);
}
FAULT(many_sges, "app/many-sges", VB_NEED_RC);

static struct vb_pair *datagrams(struct vb_test *t)
{
	return vb_connect(t, .type = IBV_QPT_UD, .depth = DEPTH);
}

static void run_qkey(struct vb_test *t)
{
	struct vb_pair *p = datagrams(t);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES,
				       .remote_qkey = VB_SET(QKEY)),
			  recv);
}
FAULT(qkey, "app/qkey", VB_NEED_UD);

static void run_ah(struct vb_test *t)
{
	struct vb_pair *p = datagrams(t);
	union ibv_gid wrong = *vb_gid(vb_b(t));
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_object *ah;

	wrong.raw[15] ^= 1;
	ah = vb_create_ah(vb_qp_pd(p->a), .dgid = &wrong);
	vb_expect_message(vb_post_send(p->a, .len = BYTES, .ah = ah), recv);
}
FAULT(ah, "app/ah", VB_NEED_UD);

static void run_datagram_qpn(struct vb_test *t)
{
	struct vb_pair *p = datagrams(t);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES,
				       .dest_qpn = VB_SET(0x800077)),
			  recv);
}
FAULT(datagram_qpn, "app/datagram-qpn", VB_NEED_UD);

static void run_datagram_early(struct vb_test *t)
{
	struct vb_pair *p = datagrams(t);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_expect_wc(send, IBV_WC_SUCCESS);
	vb_let_pass(t, 5);
	vb_expect_message(send, vb_post_recv(p->b, .len = BYTES));
}
FAULT(datagram_early, "app/datagram-early", VB_NEED_UD, .fixed = VB_PATH_SRQ);
