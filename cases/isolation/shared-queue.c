// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Thirty-two pairs, whose far ends take their receives from one SRQ and report
 * to one completion queue, and whose near ends share another.
 * One after the other breaks, each in another way; the others miss nothing, get
 * nothing twice and no receive of the SRQ is lost to them.
 */
#include <verbatim/case.h>

enum { PAIRS = 32, MESSAGES = 24, INFLIGHT = 4, BYTES = 600, ROOM = 4096 };

static void bad_lkey(struct vb_pair *p, struct vb_object *to)
{
	vb_expect_wc_among(vb_post_send(p->a, .len = BYTES,
					.lkey = VB_SET(0x7fffff00)),
			   IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_QP_OP_ERR);
}

static void bad_rkey(struct vb_pair *p, struct vb_object *to)
{
	vb_allow_event(p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_wc(vb_post_write(p->a, .to = to, .len = BYTES,
				   .rkey = VB_SET(vb_mr_rkey(to) ^ 1)),
		     IBV_WC_REM_ACCESS_ERR);
}

static void told(struct vb_pair *p, struct vb_object *to)
{
	vb_modify(p->a, IBV_QPS_ERR);
	vb_expect_wc(vb_post_send(p->a, .len = BYTES), IBV_WC_WR_FLUSH_ERR);
}

/* It takes no receive with it: it has none of its own. */
static void peer_told(struct vb_pair *p, struct vb_object *to)
{
	vb_modify(p->b, IBV_QPS_ERR);
}

static void peer_gone(struct vb_pair *p, struct vb_object *to)
{
	vb_destroy_qp(p->b);
}

static void (*const breaks[])(struct vb_pair *p, struct vb_object *to) = {
	bad_lkey, bad_rkey, told, peer_told, peer_gone,
};

enum { WAYS = sizeof(breaks) / sizeof(breaks[0]) };

static void run(struct vb_test *t)
{
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, ROOM } };
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_object *srq = vb_create_srq(
		vb_end_pd(vb_b(t)), .depth = VB_SET(PAIRS * INFLIGHT));
	struct vb_pair *p[PAIRS];
	struct vb_stream *s;
	uint64_t least, most;

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = INFLIGHT + 1, .cq = VB_CQ_SHARED,
				  .srq_b = srq);
	for (unsigned i = 0; i < WAYS; i++) {
		s = vb_stream_start(p + i + 1, PAIRS - i - 1,
				    .messages = MESSAGES, .inflight = INFLIGHT,
				    .sizes = &sizes);
		vb_stream_reach(s, PAIRS);
		breaks[i](p[i], to);
		vb_stream_shares(s, &least, &most);
		(void)vb_stream_finish(s);
		vb_note(t,
			"break %u: its neighbours had %llu to %llu messages "
			"when it was over",
			i, (unsigned long long)least, (unsigned long long)most);
	}
	vb_expect_all_settled(t);
}

VB_CASE(isolation_shared_queue, .id = "isolation/shared-queue",
	.title = "what breaks one user of an SRQ takes nothing from the others",
	.spec = "InfiniBand: shared receive queues; QP states, Error",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_SRQ |
		 VB_NEED_EVENT,
	.limit_ms = 30000,
	.rules = VB_LIST("TDN-05", "SRQ-13", "SRQ-01", "CMP-01", "AEV-02"),
	.defects = VB_LIST("WRID-01", "FLUSH-03", "SRQ-06"),
	.kills = VB_LIST("D15", "D18"), .run = run);
