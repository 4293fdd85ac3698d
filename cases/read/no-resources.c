// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A responder that was told to take no READ refuses them, and a requester that
 * may start none does not: it fails or waits, and what is flushed after it
 * was not executed.
 */
#include <verbatim/case.h>

enum { ROOM = 64, WAIT_MS = 20 };

static void refused(struct vb_test *t, struct vb_object *to)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 4, .attr_b = { .max_dest_rd_atomic = VB_SET(0) });

	vb_expect_scenario(t, "S18", vb_post_read(p->a, .to = to, .len = ROOM),
			   NULL);
	vb_reconnect(p);
}

static void stalled(struct vb_test *t, struct vb_object *to)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 4, .attr_a = { .max_rd_atomic = VB_SET(0) });
	struct vb_wr *read = vb_post_read(p->a, .to = to, .len = ROOM);
	uint64_t deadline = vb_deadline(t, WAIT_MS);

	while (!vb_completed(read) && vb_waiting(t, deadline))
		;
	if (!vb_completed(read)) {
		vb_note(t, "a READ that must not be started waits");
		vb_modify(p->a, IBV_QPS_ERR);
		vb_expect_wc(read, IBV_WC_WR_FLUSH_ERR);
		vb_expect_untouched(read);
	} else {
		vb_expect_wc_among(read, IBV_WC_LOC_QP_OP_ERR,
				   IBV_WC_REM_INV_REQ_ERR, IBV_WC_REM_OP_ERR,
				   IBV_WC_GENERAL_ERR, IBV_WC_LOC_PROT_ERR);
	}
	vb_reconnect(p);
}

static void run(struct vb_test *t)
{
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), ROOM);

	refused(t, to);
	stalled(t, to);
	vb_expect_memory(to);
	vb_expect_all_settled(t);
}

VB_CASE(read_no_resources, .id = "read/no-resources",
	.title = "a queue pair for no READ at a time executes none",
	.spec = "ibv_modify_qp(3): max_rd_atomic, max_dest_rd_atomic",
	.dimension = VB_FAULT, .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 15000, .rules = VB_LIST("RMA-08", "RMA-09"), .run = run);
