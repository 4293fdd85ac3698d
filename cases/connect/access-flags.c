// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The access flags of the responder's queue pair gate each operation, whatever
 * the region grants; a change in RTS or SQD takes effect, though a query alone
 * could not tell.  What reads back is what was set.
 */
#include <verbatim/case.h>

enum { BYTES = 128 };

static const struct {
	enum vb_op op;
	unsigned right;
} operations[] = {
	{ VB_WRITE, IBV_ACCESS_REMOTE_WRITE },
	{ VB_READ, IBV_ACCESS_REMOTE_READ },
	{ VB_FETCH_ADD, IBV_ACCESS_REMOTE_ATOMIC },
	{ VB_CMP_SWAP, IBV_ACCESS_REMOTE_ATOMIC },
};

static struct vb_wr *post(struct vb_pair *p, struct vb_object *mr, unsigned i)
{
	return vb_post_send(
		p->a, .op = operations[i].op, .to = mr,
		.len = operations[i].right == IBV_ACCESS_REMOTE_ATOMIC ? 0 : 32,
		.add = 9, .swap = 1);
}

enum { AT_ONCE, IN_RTS, IN_SQD, WHENS };

/* The rights of @qp, which is in RTS, become these; false: not in this way. */
static bool change(struct vb_qp *qp, unsigned access, unsigned when)
{
	if (when == IN_RTS)
		vb_modify(qp, IBV_QPS_RTS, .access = VB_SET(access));
	if (when != IN_SQD)
		return true;
	vb_allow_event(qp, IBV_EVENT_SQ_DRAINED);
	if (!vb_try_modify(qp, IBV_QPS_SQD))
		return false;
	if (!vb_try_modify(qp, IBV_QPS_SQD, .access = VB_SET(access)))
		return false;
	vb_modify(qp, IBV_QPS_RTS);
	return true;
}

static void attempt(struct vb_test *t, unsigned i, unsigned access,
		    unsigned when)
{
	const unsigned all = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			     vb_atomic_access(vb_end_pd(vb_b(t)));
	struct vb_object *mr = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	/* Set at once, or the reverse first and this later. */
	struct vb_pair *p = vb_connect(
		t, .depth = 2,
		.attr_b = { .access = VB_SET(when ? all & ~access : access) });
	struct vb_wr *wr;

	if (!change(p->b, access, when)) {
		vb_note(t, "rights are not changed in SQD");
		return;
	}
	vb_expect_attributes(p->b);
	wr = post(p, mr, i);
	if (access & operations[i].right) {
		vb_expect_wc(wr, IBV_WC_SUCCESS);
	} else {
		vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
		vb_allow_event(p->b, IBV_EVENT_QP_REQ_ERR);
		vb_expect_scenario(t, "S17", wr, NULL);
	}
	vb_expect_memory(mr);
	vb_expect_settled(p);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void run(struct vb_test *t)
{
	unsigned atomic = vb_atomic_access(vb_end_pd(vb_b(t)));
	unsigned all = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		       atomic;

	for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]);
	     i++) {
		unsigned right = operations[i].right;

		if (right == IBV_ACCESS_REMOTE_ATOMIC && !atomic)
			continue;
		for (unsigned when = 0; when < WHENS; when++) {
			attempt(t, i, right, when);
			attempt(t, i, all & ~right, when);
			attempt(t, i, 0, when);
			attempt(t, i, all, when);
		}
	}
}

VB_CASE(connect_access_flags, .id = "connect/access-flags",
	.title = "the queue pair's access flags gate each operation",
	.spec = "ibv_modify_qp(3): qp_access_flags", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("CON-17", "QPS-09", "QPS-27", "MR-08", "WCS-09"),
	.defects = VB_LIST("QPSM-19", "QPSM-21"),
	.kills = VB_LIST("R08", "M32", "D90"), .run = run);
