// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * WRITEs, the one in the middle of a list with a wrong key.  Its NAK tells of
 * all before it that they are done, is not tried again, and of those behind it
 * not one byte is written.
 */
#include <verbatim/case.h>

enum { BEFORE = 5, BEHIND = 5, COUNT = BEFORE + 1 + BEHIND, SLOT = 3000 };

/* A second try would come no sooner than that: 4.3 s, longer than any host
 * stands still. */
enum { TIMEOUT = 20 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = COUNT,
				       .attr = { .timeout = VB_SET(TIMEOUT),
						 .retry = VB_SET(7) });
	struct vb_object *to = vb_create_target(vb_qp_pd(p->b), COUNT * SLOT);
	struct vb_send_args args[COUNT];
	struct vb_wr *wrs[COUNT];
	uint64_t was[COUNT];

	for (unsigned i = 0; i < COUNT; i++)
		args[i] = (struct vb_send_args){ .op = VB_WRITE,
						 .len = SLOT - 100 * i,
						 .to = to,
						 .offset = i * SLOT };
	for (unsigned i = 0; i < COUNT; i++)
		was[i] = vb_load(to, i * SLOT);
	args[BEFORE].rkey = VB_SET(vb_mr_rkey(to) ^ 0x100);
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_post_send_list(p->a, COUNT, args, COUNT, wrs);
	vb_expect_scenario(t, "S10", wrs[BEFORE], NULL);
	vb_check(t, VB_FIND_WRONG_TIMING,
		 vb_took_ns(wrs[BEFORE]) < vb_ack_timeout_ns(TIMEOUT),
		 "the refusal took %llu us, an ACK timeout: it was tried again",
		 (unsigned long long)vb_took_ns(wrs[BEFORE]) / 1000);
	for (unsigned i = 0; i < BEFORE; i++)
		vb_expect_wc(wrs[i], IBV_WC_SUCCESS);
	for (unsigned i = BEFORE + 1; i < COUNT; i++)
		vb_expect_wc(wrs[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_memory(to);
	/* A flushed WRITE may have been executed; these must not have been. */
	for (unsigned i = BEFORE; i < COUNT; i++)
		vb_check(t, VB_FIND_WRONG_CONTENT,
			 vb_load(to, i * SLOT) == was[i],
			 "WRITE %u was executed, though number %u before it "
			 "was refused",
			 i + 1, BEFORE + 1);
	vb_expect_settled(p);
}

VB_CASE(nak_access, .id = "nak/access",
	.title = "behind a request refused by a NAK nothing is executed",
	.spec = "InfiniBand: NAK codes, remote access error",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 15000,
	.rules = VB_LIST("NAK-03", "NAK-06", "NAK-07", "WCS-10"),
	.defects = VB_LIST("RETRY-01", "RETRY-03"),
	.kills = VB_LIST("M28", "D65"), .run = run);
