// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sq_sig_all is no matter of SENDs alone: WRITEs, READs, atomics, bindings and
 * invalidations are signaled too, flag or no flag.
 */
#include <verbatim/case.h>

enum { ROOM = 256, DEPTH = 8, OPS = 5 };

static void windows(struct vb_test *t, struct vb_pair *p)
{
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->a), .len = ROOM,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_try_create_mw(vb_qp_pd(p->a), IBV_MW_TYPE_2);

	if (!mw) {
		vb_note(t, "there are no windows of type 2");
		return;
	}
	vb_expect_wc(vb_bind_mw(p->a, mw, .mr = mr, .len = ROOM,
				.access = IBV_ACCESS_REMOTE_READ,
				.unsignaled = true),
		     IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_local_inv(p->a, .invalidate = mw,
				       .unsignaled = true),
		     IBV_WC_SUCCESS);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .sig_all = true);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), ROOM);
	uint32_t at = (8 - vb_mr_address(to) % 8) % 8;
	const enum vb_op ops[OPS] = { VB_WRITE, VB_READ, VB_FETCH_ADD,
				      VB_CMP_SWAP, VB_READ };
	struct vb_wr *wrs[OPS];

	for (unsigned i = 0; i < OPS; i++) {
		bool atomic = ops[i] == VB_FETCH_ADD || ops[i] == VB_CMP_SWAP;

		wrs[i] = NULL;
		if (atomic && !vb_atomic_access(vb_end_pd(vb_b(t))))
			continue;
		wrs[i] = vb_post_send(p->a, .op = ops[i], .to = to,
				      .offset = at, .len = atomic ? 0 : 64,
				      .add = 5, .unsignaled = true);
	}
	for (unsigned i = 0; i < OPS; i++)
		if (wrs[i])
			vb_expect_wc(wrs[i], IBV_WC_SUCCESS);
	vb_expect_memory(to);
	windows(t, p);
	vb_expect_settled(p);
}

VB_CASE(signal_all_operations, .id = "signal/all-operations",
	.title = "sq_sig_all signals operations of every kind",
	.spec = "ibv_create_qp(3): sq_sig_all",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 10000,
	.rules = VB_LIST("CMP-06", "CMP-01"), .defects = VB_LIST("IMM-11"),
	.kills = VB_LIST("D77"), .run = run);
