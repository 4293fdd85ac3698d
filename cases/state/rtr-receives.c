// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * In RTR the receive side is complete: a peer in RTS sends to it, writes and
 * reads its memory, all get their completions, and the QP is still in RTR.
 */
#include <verbatim/case.h>

enum { COUNT = 4, BYTES = 300 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT, .state = IBV_QPS_RTR);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_wr *recvs[COUNT], *sends[COUNT];

	vb_modify(p->a, IBV_QPS_RTS);
	for (unsigned i = 0; i < COUNT; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < COUNT; i++)
		sends[i] = vb_post_send(p->a, .len = BYTES - i);
	for (unsigned i = 0; i < COUNT; i++)
		vb_expect_message(sends[i], recvs[i]);
	vb_expect_wc(vb_post_write(p->a, .to = to, .len = BYTES),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = BYTES),
		     IBV_WC_SUCCESS);
	vb_expect_memory(to);
	vb_allow_event(p->b, IBV_EVENT_COMM_EST);
	vb_expect_state(p->b, IBV_QPS_RTR);
	vb_expect_state(p->a, IBV_QPS_RTS);
	vb_modify(p->b, IBV_QPS_RTS);
	vb_stream(p, .messages = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(state_rtr_receives, .id = "state/rtr-receives",
	.title = "a QP in RTR receives, and stays in RTR",
	.spec = "InfiniBand: QP states, Ready To Receive",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("QPS-12", "AEV-07"), .run = run);
