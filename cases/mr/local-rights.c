// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a device writes locally needs LOCAL_WRITE: the result of a READ and of
 * an atomic, as a receive does.  Sources need no right at all.
 */
#include <verbatim/case.h>

enum { BYTES = 256, LENGTH = 40 };

static void sources(struct vb_test *t)
{
	struct vb_object *source = vb_create_mr(
		vb_end_pd(vb_a(t)), .len = BYTES, .access = VB_SET(0));
	struct vb_object *target = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p = vb_connect(t, .depth = 4);
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);
	struct vb_wr *send = vb_post_send(p->a, .len = BYTES, .mr = source);
	struct vb_wr *write;

	vb_expect_message(send, recv);
	write = vb_post_write(p->a, .to = target, .len = LENGTH, .mr = source);
	vb_expect_wc(write, IBV_WC_SUCCESS);
	vb_expect_memory(target);
	vb_expect_settled(p);
}

static void result(struct vb_test *t, enum vb_op op, unsigned access)
{
	struct vb_object *sink = vb_create_mr(vb_end_pd(vb_a(t)), .len = BYTES,
					      .access = VB_SET(access));
	struct vb_object *target = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p = vb_connect(
		t, .depth = 4,
		.attr_b = { .access = VB_SET(
				    IBV_ACCESS_REMOTE_READ |
				    vb_atomic_access(vb_end_pd(vb_b(t)))) });
	struct vb_wr *wr = vb_post_send(p->a, .op = op, .to = target,
					.len = op == VB_READ ? LENGTH : 0,
					.mr = sink, .add = 1, .swap = 2);

	if (access & IBV_ACCESS_LOCAL_WRITE) {
		vb_expect_wc(wr, IBV_WC_SUCCESS);
		vb_expect_memory(target);
	} else {
		vb_expect_scenario(t, "S09", wr, NULL);
		/* An atomic may have been done before it was found (ATO-12). */
		if (op == VB_READ) {
			vb_expect_memory(target);
			vb_expect_untouched(wr);
		}
	}
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	static const unsigned accesses[] = {
		0,
		IBV_ACCESS_REMOTE_READ,
		IBV_ACCESS_LOCAL_WRITE,
	};

	sources(t);
	for (unsigned i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		result(t, VB_READ, accesses[i]);
		if (!vb_atomic_access(vb_end_pd(vb_b(t))))
			continue;
		result(t, VB_FETCH_ADD, accesses[i]);
		result(t, VB_CMP_SWAP, accesses[i]);
	}
}

VB_CASE(mr_local_rights, .id = "mr/local-rights",
	.title = "results need LOCAL_WRITE, sources need nothing",
	.spec = "ibv_reg_mr(3): access", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("MR-02", "MR-03", "MR-24", "WCS-04"),
	.defects = VB_LIST("KEY-07"), .run = run);
