// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many queue pairs share a completion queue and a protection domain, and all
 * of them have traffic.  One after the other breaks, each in another way; the
 * others miss nothing, get nothing twice and nothing that is not theirs, and
 * go on while it breaks.
 */
#include <verbatim/case.h>

enum { PAIRS = 32, MESSAGES = 48, INFLIGHT = 4, BYTES = 600 };

struct victim {
	struct vb_test *t;
	struct vb_pair *p;
	struct vb_object *to;
};

static void bad_lkey(const struct victim *v)
{
	vb_expect_scenario(v->t, "S07",
			   vb_post_send(v->p->a, .len = BYTES,
					.lkey = VB_SET(0x7fffff00)),
			   NULL);
}

static void bad_rkey(const struct victim *v)
{
	vb_allow_event(v->p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_scenario(v->t, "S10",
			   vb_post_write(v->p->a, .to = v->to, .len = BYTES,
					 .rkey = VB_SET(vb_mr_rkey(v->to) ^ 1)),
			   NULL);
}

static void short_receive(const struct victim *v)
{
	struct vb_wr *recv = vb_post_recv(v->p->b, .len = BYTES - 1);

	vb_expect_scenario(v->t, "S02", vb_post_send(v->p->a, .len = BYTES),
			   recv);
}

static void no_receive(const struct victim *v)
{
	vb_expect_wc(vb_post_send(v->p->a, .len = BYTES),
		     IBV_WC_RNR_RETRY_EXC_ERR);
}

static void peer_gone(const struct victim *v)
{
	vb_destroy_qp(v->p->b);
	vb_expect_wc(vb_post_send(v->p->a, .len = BYTES), IBV_WC_RETRY_EXC_ERR);
}

static void told(const struct victim *v)
{
	struct vb_wr *recv = vb_post_recv(v->p->a, .len = BYTES);

	vb_modify(v->p->a, IBV_QPS_ERR);
	vb_expect_wc(recv, IBV_WC_WR_FLUSH_ERR);
}

static void (*const breaks[])(const struct victim *v) = {
	bad_lkey, bad_rkey, short_receive, no_receive, peer_gone, told,
};

static void run(struct vb_test *t)
{
	const unsigned ways = sizeof(breaks) / sizeof(breaks[0]);
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, 3000 } };
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), BYTES);
	struct vb_pair *p[PAIRS];
	struct vb_stream *s;
	uint64_t least[2], most[2];

	for (unsigned i = 0; i < PAIRS; i++)
		p[i] = vb_connect(t, .depth = 2 * INFLIGHT, .cq = VB_CQ_SHARED,
				  .attr = { .timeout = VB_SET(16),
					    .retry = VB_SET(2),
					    .rnr_retry = VB_SET(1) });
	for (unsigned i = 0; i < ways; i++) {
		struct victim v = { .t = t, .p = p[i], .to = to };

		s = vb_stream_start(p + i + 1, PAIRS - i - 1,
				    .messages = MESSAGES, .inflight = INFLIGHT,
				    .sizes = &sizes, .direction = VB_BOTH_WAYS);
		vb_stream_reach(s, PAIRS);
		vb_stream_shares(s, &least[0], &most[0]);
		breaks[i](&v);
		vb_stream_shares(s, &least[1], &most[1]);
		(void)vb_stream_finish(s);
		vb_note(t,
			"break %u: its neighbours had %llu to %llu messages "
			"each when it began and %llu to %llu when it was over, "
			"the slowest %llu%% of the fastest",
			i, (unsigned long long)least[0],
			(unsigned long long)most[0],
			(unsigned long long)least[1],
			(unsigned long long)most[1],
			(unsigned long long)(100 * least[1] / most[1]));
	}
	vb_expect_all_settled(t);
}

VB_CASE(isolation_each_error, .id = "isolation/each-error",
	.title = "whatever breaks one queue pair, its neighbours do not notice",
	.spec = "InfiniBand: QP states, Error", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 30000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("TDN-05", "CMP-01", "CMP-25", "AEV-02"),
	.defects = VB_LIST("WRID-01", "FLUSH-03"),
	.kills = VB_LIST("D18", "D15"), .run = run);
