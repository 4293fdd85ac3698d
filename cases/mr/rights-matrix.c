// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every set of access flags of a region against every operation of a peer:
 * what the region grants succeeds, what it does not is refused, and a refusal
 * changes no byte.
 *
 * REMOTE_WRITE and REMOTE_ATOMIC without LOCAL_WRITE cannot be registered.
 * The queue pair grants all, so that it is the region that is judged.
 */
#include <verbatim/case.h>

enum {
	BYTES = 256,
	OFFSET = 64,
	LENGTH = 24,
	ALL = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
	      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
};

static const struct operation {
	enum vb_op op;
	unsigned right;
} operations[] = {
	{ VB_WRITE, IBV_ACCESS_REMOTE_WRITE },
	{ VB_READ, IBV_ACCESS_REMOTE_READ },
	{ VB_CMP_SWAP, IBV_ACCESS_REMOTE_ATOMIC },
	{ VB_FETCH_ADD, IBV_ACCESS_REMOTE_ATOMIC },
};

static void attempt(struct vb_test *t, const struct operation *o,
		    unsigned access, unsigned atomic)
{
	struct vb_pair *p = vb_connect(
		t, .depth = 2,
		.attr_b = { .access =
				    VB_SET(IBV_ACCESS_REMOTE_WRITE |
					   IBV_ACCESS_REMOTE_READ | atomic) });
	struct vb_object *mr = vb_create_mr(vb_end_pd(vb_b(t)), .len = BYTES,
					    .access = VB_SET(access));
	bool word = o->right == IBV_ACCESS_REMOTE_ATOMIC;
	struct vb_wr *wr =
		vb_post_send(p->a, .op = o->op, .to = mr, .offset = OFFSET,
			     .len = word ? 0 : LENGTH, .add = 5, .swap = 7);

	if (access & o->right) {
		vb_expect_wc(wr, IBV_WC_SUCCESS);
	} else {
		vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
		vb_expect_scenario(t, "S12", wr, NULL);
	}
	vb_expect_memory(mr);
	vb_expect_settled(p);
	vb_destroy(mr);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
}

static void run(struct vb_test *t)
{
	unsigned atomic = vb_atomic_access(vb_end_pd(vb_b(t))), tried = 0;

	for (unsigned access = 0; access <= ALL; access++) {
		if (access & ~(unsigned)ALL ||
		    (access & IBV_ACCESS_REMOTE_ATOMIC & ~atomic))
			continue;
		if (access & (IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_ATOMIC) &&
		    !(access & IBV_ACCESS_LOCAL_WRITE)) {
			vb_create_mr_refused(vb_end_pd(vb_b(t)), .len = BYTES,
					     .access = VB_SET(access));
			continue;
		}
		for (unsigned i = 0;
		     i < sizeof(operations) / sizeof(operations[0]); i++) {
			if (operations[i].right & IBV_ACCESS_REMOTE_ATOMIC &
			    ~atomic)
				continue;
			attempt(t, &operations[i], access, atomic);
			tried++;
		}
	}
	vb_note(t, "%u pairs of region and operation", tried);
}

VB_CASE(mr_rights_matrix, .id = "mr/rights-matrix",
	.title = "a region grants its peers what its flags say and no more",
	.spec = "ibv_reg_mr(3): access", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 20000,
	.rules = VB_LIST("MR-01", "MR-04", "MR-05", "MR-06", "MR-08", "WCS-10"),
	.defects = VB_LIST("KEY-07"), .run = run);
