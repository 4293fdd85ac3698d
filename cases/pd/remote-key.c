// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A region of another PD than the responder's queue pair is closed to its
 * peer, whatever the operation: a remote access error, and no byte read or
 * written.  Through a queue pair of its own PD it is open.
 */
#include <verbatim/case.h>

enum { BYTES = 256 };

static struct vb_wr *post(struct vb_pair *p, struct vb_object *mr,
			  enum vb_op op)
{
	return vb_post_send(p->a, .op = op, .to = mr, .offset = 16,
			    .len = op == VB_WRITE || op == VB_READ ? 32 : 0,
			    .add = 3, .swap = 4);
}

static void attempt(struct vb_test *t, struct vb_object *own,
		    struct vb_object *other, enum vb_op op)
{
	struct vb_object *mr = vb_create_target(other, BYTES);
	unsigned access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			  vb_atomic_access(other);
	struct vb_pair *p = vb_connect(t, .depth = 2, .pd_b = own,
				       .attr_b = { .access = VB_SET(access) });
	struct vb_pair *q = vb_connect(t, .depth = 2, .pd_b = other,
				       .attr_b = { .access = VB_SET(access) });

	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_scenario(t, "S13", post(p, mr, op), NULL);
	vb_expect_memory(mr);
	vb_expect_wc(post(q, mr, op), IBV_WC_SUCCESS);
	vb_expect_memory(mr);
	vb_expect_settled(p);
	vb_expect_settled(q);
}

static void run(struct vb_test *t)
{
	struct vb_object *own = vb_create_pd(vb_b(t));
	struct vb_object *other = vb_create_pd(vb_b(t));

	attempt(t, own, other, VB_WRITE);
	attempt(t, own, other, VB_READ);
	if (!vb_atomic_access(own))
		return;
	attempt(t, own, other, VB_CMP_SWAP);
	attempt(t, own, other, VB_FETCH_ADD);
}

VB_CASE(pd_remote_key, .id = "pd/remote-key",
	.title = "a region of another PD is closed to the peer",
	.spec = "InfiniBand: protection domains", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("PD-04", "MR-08", "WCS-10"),
	.defects = VB_LIST("PD-01"), .run = run);
