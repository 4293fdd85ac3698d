// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * An RC queue pair that is connected to the number of a queue pair of another
 * transport gets no answer, and that one gets nothing.
 */
#include <verbatim/case.h>

enum { BYTES = 64 };

static void attempt(struct vb_test *t, enum ibv_qp_type type)
{
	struct vb_pair *other = vb_connect(t, .type = type, .depth = 2);
	struct vb_pair *p =
		vb_connect(t, .depth = 2,
			   .attr_a = { .dest_qpn = VB_SET(vb_qp_num(other->b)),
				       .timeout = VB_SET(10),
				       .retry = VB_SET(1) });
	struct vb_wr *bystander = vb_post_recv(other->b, .len = BYTES);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

	vb_expect_scenario(t, "S24", send, NULL);
	vb_expect_pending(bystander, 1);
	vb_expect_untouched(bystander);
	vb_expect_pending(recv, 1);
	vb_expect_state(other->b, IBV_QPS_RTS);
	vb_expect_settled(p);
}

static void run_ud(struct vb_test *t)
{
	attempt(t, IBV_QPT_UD);
}

static void run_uc(struct vb_test *t)
{
	attempt(t, IBV_QPT_UC);
}

VB_CASE(connect_other_transport_ud, .id = "connect/other-transport-ud",
	.title = "an RC request to the number of a UD queue pair is lost",
	.spec = "InfiniBand: packet validation", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_UD, .limit_ms = 10000,
	.rules = VB_LIST("CON-14", "WCS-12"), .defects = VB_LIST("RETRY-01"),
	.run = run_ud);
VB_CASE(connect_other_transport_uc, .id = "connect/other-transport-uc",
	.title = "an RC request to the number of a UC queue pair is lost",
	.spec = "InfiniBand: packet validation", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_UC, .limit_ms = 10000,
	.rules = VB_LIST("CON-14", "WCS-12"), .defects = VB_LIST("RETRY-01"),
	.run = run_uc);
