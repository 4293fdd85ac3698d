// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * READs, atomics, a bind and an invalidation wait for a peer that does not
 * answer any more when their queue pair goes to ERR: each is flushed, once.
 */
#include <verbatim/case.h>

enum { ROUNDS = 4, FETCHES = 3, BYTES = 64 };

static void flush(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 2 * FETCHES + 2);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), BYTES);
	struct vb_object *mr = vb_create_mr(
		vb_qp_pd(p->a), .len = BYTES,
		.access = VB_SET(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	struct vb_object *mw = vb_create_mw(vb_qp_pd(p->a), IBV_MW_TYPE_2);
	struct vb_wr *wrs[2 * FETCHES + 2];
	unsigned n = 0;

	/* From here on it drops what comes. */
	vb_modify(p->b, IBV_QPS_RESET);
	for (unsigned i = 0; i < FETCHES; i++) {
		wrs[n++] = vb_post_read(p->a, .to = to, .len = 8 * i + 8);
		wrs[n++] = vb_post_fetch_add(p->a, .to = to, .add = i);
	}
	wrs[n++] = vb_bind_mw(p->a, mw, .mr = mr, .len = BYTES,
			      .access = IBV_ACCESS_REMOTE_READ);
	wrs[n++] = vb_post_local_inv(p->a, .invalidate = mw);
	vb_modify(p->a, IBV_QPS_ERR);
	for (unsigned i = 0; i < n; i++)
		vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_state(p->a, IBV_QPS_ERR);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		flush(t);
}

VB_CASE(flush_fetches_begun, .id = "flush/fetches-begun",
	.title = "READs, atomics and invalidations begun are flushed once",
	.spec = "ibv_modify_qp(3); InfiniBand: QP states, Error",
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_ATOMIC | VB_NEED_MW2,
	.limit_ms = 10000,
	.rules = VB_LIST("QPS-15", "CMP-01", "CMP-25", "WCS-05"),
	.defects = VB_LIST("FLUSH-08", "FLUSH-17"),
	.kills = VB_LIST("M24", "D20", "D23"), .run = run);
