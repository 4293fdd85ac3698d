// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each code of min_rnr_timer means a time of its own, 0 the longest, and the
 * requester tries again no earlier: with one retry, the message is given up no
 * earlier than that either.  The responder's code counts; the requester's own
 * is the shortest there is.  All codes are waited for at once, by a SEND and by
 * a WRITE with immediate each.
 */
#include <verbatim/case.h>

enum { CODES = 32, KINDS = 2, SHORTEST = 1, BYTES = 100 };

static struct vb_pair *bring_up(struct vb_test *t, unsigned code)
{
	return vb_connect(t, .depth = 2, .cq = VB_CQ_SHARED,
			  .attr = { .timeout = VB_SET(20) },
			  .attr_a = { .rnr_retry = VB_SET(1),
				      .min_rnr_timer = VB_SET(SHORTEST) },
			  .attr_b = { .min_rnr_timer = VB_SET(code) });
}

static void given_up(struct vb_test *t, unsigned code, struct vb_wr *wr)
{
	uint64_t least = vb_rnr_timer_ns((uint8_t)code);

	vb_expect_wc(wr, IBV_WC_RNR_RETRY_EXC_ERR);
	vb_check(t, VB_FIND_WRONG_TIMING, vb_took_ns(wr) >= least,
		 "code %u: tried again within %llu us, it means %llu us", code,
		 (unsigned long long)vb_took_ns(wr) / 1000,
		 (unsigned long long)least / 1000);
}

static void run(struct vb_test *t)
{
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p[KINDS][CODES];
	struct vb_wr *wrs[KINDS][CODES];

	for (unsigned i = 0; i < KINDS * CODES; i++)
		p[i / CODES][i % CODES] = bring_up(t, i % CODES);
	for (unsigned i = 0; i < CODES; i++)
		wrs[0][i] = vb_post_send(p[0][i]->a, .len = BYTES);
	for (unsigned i = 0; i < CODES; i++)
		wrs[1][i] = vb_post_write(p[1][i]->a, .to = to, .len = BYTES,
					  .imm = VB_SET(i));
	/* The longest last. */
	for (unsigned i = 0; i < KINDS * CODES; i++)
		given_up(t, (i / KINDS + 1) % CODES,
			 wrs[i % KINDS][(i / KINDS + 1) % CODES]);
	vb_expect_all_settled(t);
}

VB_CASE(rnr_timer_codes, .id = "rnr/timer-codes",
	.title = "no code of min_rnr_timer is waited for too short a time",
	.spec = "InfiniBand: RNR timer encoding; ibv_modify_qp(3)",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_IMM,
	.limit_ms = 20000, .rules = VB_LIST("CON-09", "RNR-02", "WCS-13"),
	.defects = VB_LIST("RNR-01", "RNR-05", "RNR-08"),
	.kills = VB_LIST("M26"), .run = run);
