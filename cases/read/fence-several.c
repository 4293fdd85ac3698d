// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Several READs, the last one the longest, and behind them a fenced SEND of
 * what that one brings: it has waited for all of them, not for the first.
 */
#include <verbatim/case.h>

enum { READS = 4, SHORT = 64, LONG = 200000, ROUNDS = 6 };

static void forward(struct vb_test *t, struct vb_pair *p)
{
	struct vb_object *source = vb_create_target(vb_qp_pd(p->b), LONG);
	struct vb_object *between = vb_create_mr(vb_qp_pd(p->a), .len = LONG);
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), LONG);
	struct vb_wr *reads[READS], *write;

	for (unsigned i = 0; i < READS - 1; i++)
		reads[i] = vb_post_read(p->a, .to = source, .len = SHORT,
					.offset = i * SHORT);
	reads[READS - 1] =
		vb_post_read(p->a, .to = source, .len = LONG, .mr = between);
	write = vb_post_write(p->a, .to = to, .len = LONG, .mr = between,
			      .as_is = true, .fence = true);
	for (unsigned i = 0; i < READS; i++)
		vb_expect_wc(reads[i], IBV_WC_SUCCESS);
	vb_expect_wc(write, IBV_WC_SUCCESS);
	vb_expect_wc(vb_post_read(p->a, .to = to, .len = 0), IBV_WC_SUCCESS);
	for (uint32_t i = 0; i + 8 <= LONG; i += 1000)
		vb_check(t, VB_FIND_WRONG_CONTENT,
			 vb_load(to, i) == vb_load(source, i),
			 "a fenced WRITE did not carry what the last READ "
			 "before it brought: bytes %u to %u",
			 i, i + 7);
}

static void run(struct vb_test *t)
{
	const struct ibv_device_attr *d = vb_device_attr(vb_a(t));
	struct vb_pair *p;

	if (d->max_qp_init_rd_atom < 2)
		vb_skip(t, "the device has one READ out at a time");
	p = vb_connect(
		t, .depth = 8,
		.attr = { .max_rd_atomic = VB_SET(d->max_qp_init_rd_atom),
			  .max_dest_rd_atomic = VB_SET(d->max_qp_rd_atom) });

	for (unsigned i = 0; i < ROUNDS; i++)
		forward(t, p);
	vb_expect_settled(p);
}

VB_CASE(read_fence_several, .id = "read/fence-several",
	.title = "a fenced request waits for all READs before it",
	.spec = "ibv_post_send(3): IBV_SEND_FENCE",
	.needs = VB_NEED_RC | VB_NEED_RDMA, .limit_ms = 15000,
	.rules = VB_LIST("RMA-04", "RMA-06"),
	.defects = VB_LIST("READ-01", "READ-02"), .kills = VB_LIST("M38"),
	.run = run);
