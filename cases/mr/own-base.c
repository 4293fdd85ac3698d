// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A region may be given addresses of its own: peers and scatter/gather entries
 * then speak of those, and the real ones mean nothing.
 */
#include <verbatim/case.h>

enum { BYTES = 3 * 4096 - 40 };

/* The second: a line of 4 GiB runs through it. */
static const uint64_t bases[] = { 0x7000000000, 0x70fffff000 };

static void use(struct vb_test *t, struct vb_object *mr,
		struct vb_object *plain)
{
	unsigned atomic = vb_atomic_access(vb_end_pd(vb_b(t)));
	uint32_t at = 2 * 4096 + (8 - vb_mr_address(mr) % 8) % 8;
	struct vb_pair *p = vb_connect(
		t, .depth = 4,
		.attr_b = { .access =
				    VB_SET(IBV_ACCESS_REMOTE_WRITE |
					   IBV_ACCESS_REMOTE_READ | atomic) });
	struct vb_wr *wr;

	wr = vb_post_write(p->a, .to = mr, .offset = 100, .len = 200);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	/* Over pages that are not its first. */
	wr = vb_post_write(p->a, .to = mr, .offset = 4000, .len = 5000);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	wr = vb_post_write(p->a, .to = mr, .offset = 3, .len = BYTES - 9);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	wr = vb_post_read(p->a, .to = mr, .offset = 0, .len = BYTES);
	vb_expect_wc(wr, IBV_WC_SUCCESS);
	if (atomic) {
		wr = vb_post_fetch_add(p->a, .to = mr, .offset = at, .add = 77);
		vb_expect_wc(wr, IBV_WC_SUCCESS);
	}
	vb_expect_memory(mr);
	vb_expect_memory(plain);
	wr = vb_post_recv(p->b, .len = 9000, .mr = mr, .mr_offset = 1000);
	vb_expect_message(vb_post_send(p->a, .len = 9000), wr);
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	wr = vb_post_write(p->a, .to = mr,
			   .remote = VB_SET(vb_mr_address(plain)), .len = 8);
	vb_expect_scenario(t, "S11", wr, NULL);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	const unsigned access =
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		IBV_ACCESS_REMOTE_READ | vb_atomic_access(vb_end_pd(vb_b(t)));

	for (unsigned i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		struct vb_object *plain =
			vb_create_target(vb_end_pd(vb_b(t)), BYTES);
		uint64_t page = vb_mr_address(plain) & 4095;
		/* Base and address must agree within a page. */
		struct vb_object *mr =
			vb_try_create_mr(vb_end_pd(vb_b(t)), .over = plain,
					 .len = BYTES, .access = VB_SET(access),
					 .iova = VB_SET(page | bases[i]));

		if (!mr)
			vb_skip(t, "the device gives no addresses of their "
				   "own to regions");
		use(t, mr, plain);
	}
}

VB_CASE(mr_own_base, .id = "mr/own-base",
	.title = "a region with a base of its own is addressed by that",
	.spec = "ibv_reg_mr_iova(3)", .needs = VB_NEED_RC | VB_NEED_RDMA,
	.limit_ms = 10000, .rules = VB_LIST("MR-16", "MR-07"),
	.defects = VB_LIST("MR-01", "DATA-05", "DATA-09"),
	.kills = VB_LIST("D82"), .run = run);
