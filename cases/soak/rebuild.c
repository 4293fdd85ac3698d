// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A connection breaks in the middle of its work, in one of several ways, and
 * all of it is made anew: queue pairs and memory are destroyed, created,
 * introduced, registered and filled with receives, many times in a row, beside
 * a pair that lives on and shares their completion queues.  Each time every
 * request of the old life ends once; what is left of it in the queues is stale
 * and not taken for the new one's; and in the end nothing has leaked.  The
 * times from the break to its detection, and from there to the first message
 * of the new life, are noted.
 */
#include <string.h>

#include <verbatim/case.h>

enum {
	DEPTH = 8,
	BYTES = 3000,
	LITTLE = 64,
	WARM = 6,
	FEW = 24,
	THOUSAND = 994
};

/* A sanitizer keeps what was freed, to see who uses it still. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GROWTH (4u << 20)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GROWTH (4u << 20)
#endif
#endif
#ifndef GROWTH
/* What the suite itself remembers of each life; of all, some more. */
#define GROWTH (48u << 10)
#endif
#define GROWTH_ONCE (2u << 20)

struct life {
	struct vb_test *t;
	struct vb_pair *p;
	struct vb_object *from, *to; /* all memory of either end */
	struct vb_wr *sends[DEPTH];
	bool near; /* both ends are one port */
};

struct figures {
	uint64_t least_ns, most_ns, sum_ns, count;
};

static void figure(struct figures *f, uint64_t ns)
{
	f->least_ns = f->count && f->least_ns < ns ? f->least_ns : ns;
	f->most_ns = f->most_ns > ns ? f->most_ns : ns;
	f->sum_ns += ns;
	f->count++;
}

static void tell(struct vb_test *t, const char *what, const struct figures *f)
{
	if (f->count)
		vb_note(t, "%s: %llu us on average, from %llu to %llu", what,
			(unsigned long long)(f->sum_ns / f->count / 1000),
			(unsigned long long)f->least_ns / 1000,
			(unsigned long long)f->most_ns / 1000);
}

static void peer_destroyed(struct life *l)
{
	vb_destroy_qp(l->p->b);
}

static void peer_reset(struct life *l)
{
	vb_modify(l->p->b, IBV_QPS_RESET);
}

static void peer_in_error(struct life *l)
{
	vb_modify(l->p->b, IBV_QPS_ERR);
}

static void told(struct life *l)
{
	vb_modify(l->p->a, IBV_QPS_ERR);
}

/* By a key of nobody; what went before it is done. */
static void refused(struct life *l)
{
	vb_allow_event(l->p->b, IBV_EVENT_QP_ACCESS_ERR);
	vb_expect_wc(vb_post_write(l->p->a, .to = l->to, .len = BYTES,
				   .mr = l->from,
				   .rkey = VB_SET(vb_mr_rkey(l->to) ^ 1)),
		     IBV_WC_REM_ACCESS_ERR);
}

/* What comes next finds no receive. */
static void used_up(struct life *l)
{
}

static const struct {
	const char *name;
	void (*strike)(struct life *l);
} ways[] = {
	{ "modified to ERR, detected", told },
	{ "peer destroyed, detected", peer_destroyed },
	{ "access refused, detected", refused },
	{ "peer reset, detected", peer_reset },
	{ "receives used up, detected", used_up },
	{ "peer in ERR, detected", peer_in_error },
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Where the peer is a process of its own, the sender must have the patience
 * that that one, alive, may need: what only time tells is then done once. */
static unsigned next_way(const struct life *l, unsigned life)
{
	if (l->near)
		return life % WAYS;
	return life ? life * 2 % WAYS : 1;
}

static void born(struct life *l)
{
	struct vb_wr *first;

	l->p = vb_connect(l->t, .depth = DEPTH, .cq = VB_CQ_SHARED,
			  .attr = { .timeout = VB_SET(l->near ? 11 : 16),
				    .retry = VB_SET(2),
				    .rnr_retry = VB_SET(1),
				    .min_rnr_timer = VB_SET(10) });
	l->from = vb_create_mr(vb_end_pd(vb_a(l->t)), .len = DEPTH * BYTES,
			       .transient = true);
	l->to = vb_create_mr(vb_end_pd(vb_b(l->t)), .len = DEPTH * BYTES,
			     .transient = true,
			     .access = VB_SET(IBV_ACCESS_LOCAL_WRITE |
					      IBV_ACCESS_REMOTE_WRITE));
	first = vb_post_recv(l->p->b, .len = BYTES, .mr = l->to);
	for (unsigned i = 1; i < DEPTH; i++)
		vb_post_recv(l->p->b, .len = BYTES, .mr = l->to,
			     .mr_offset = i * BYTES);
	vb_expect_message(vb_post_send(l->p->a, .len = BYTES, .mr = l->from),
			  first);
}

/* From its break to when the sender knows. */
static uint64_t breaks(struct life *l, unsigned way, uint64_t *delivered)
{
	uint64_t begun_ns, seen_ns = 0;

	for (unsigned i = 0; i < DEPTH - 1; i++)
		l->sends[i] = vb_post_send(l->p->a, .len = BYTES - i,
					   .mr = l->from,
					   .mr_offset = i * BYTES);
	begun_ns = vb_now_ns();
	ways[way].strike(l);
	l->sends[DEPTH - 1] = vb_post_send(l->p->a, .len = BYTES, .mr = l->from,
					   .mr_offset = (DEPTH - 1) * BYTES);
	for (unsigned i = 0; i < DEPTH; i++) {
		enum ibv_wc_status status = vb_expect_wc_among(
			l->sends[i], IBV_WC_SUCCESS, IBV_WC_RETRY_EXC_ERR,
			IBV_WC_RNR_RETRY_EXC_ERR, IBV_WC_REM_OP_ERR,
			IBV_WC_WR_FLUSH_ERR);

		*delivered += status == IBV_WC_SUCCESS;
		if (status != IBV_WC_SUCCESS && !seen_ns)
			seen_ns = vb_now_ns();
		vb_check(l->t, VB_FIND_WRONG_STATUS,
			 i < DEPTH - 1 || status != IBV_WC_SUCCESS,
			 "%s, and a message after that succeeded",
			 ways[way].name);
	}
	vb_expect_state(l->p->a, IBV_QPS_ERR);
	return seen_ns - begun_ns;
}

/* It leaves completions in a queue that lives on, and before and behind them
 * lies one of the neighbour's. */
static void left_behind(struct life *l, const struct vb_pair *neighbour)
{
	struct vb_object *cq = vb_qp_send_cq(l->p->a);
	struct vb_wr *recv, *sends[2];

	vb_hold_cq(cq);
	for (unsigned i = 0; i < 2; i++) {
		vb_post_recv(l->p->a, .len = BYTES, .mr = l->from);
		recv = vb_post_recv(neighbour->b, .len = LITTLE);
		sends[i] = vb_post_send(neighbour->a, .len = LITTLE);
		vb_expect_wc(recv, IBV_WC_SUCCESS);
	}
	vb_destroy_qp(l->p->a);
	vb_release_cq(cq);
	for (unsigned i = 0; i < 2; i++)
		vb_expect_wc(sends[i], IBV_WC_SUCCESS);
}

static void dies(struct life *l, unsigned way, const struct vb_pair *neighbour)
{
	left_behind(l, neighbour);
	if (ways[way].strike != peer_destroyed)
		vb_destroy_qp(l->p->b);
	vb_destroy(l->from);
	vb_destroy(l->to);
}

static bool grown(const struct vb_usage *before, const struct vb_usage *after,
		  unsigned lives)
{
	return after->resident_bytes >
	       before->resident_bytes + lives * GROWTH + GROWTH_ONCE;
}

static void compare(struct vb_test *t, const struct vb_usage *before,
		    const struct vb_usage *after, unsigned lives)
{
	vb_check(t, VB_FIND_LEAK, after->descriptors == before->descriptors,
		 "%llu descriptors are open, before it were %llu",
		 (unsigned long long)after->descriptors,
		 (unsigned long long)before->descriptors);
	vb_check(t, VB_FIND_LEAK, after->threads == before->threads,
		 "%llu threads run, before it were %llu",
		 (unsigned long long)after->threads,
		 (unsigned long long)before->threads);
	vb_check(t, VB_FIND_LEAK, !grown(before, after, lives),
		 "%llu KiB are resident after %u lives, before it were %llu",
		 (unsigned long long)after->resident_bytes >> 10, lives,
		 (unsigned long long)before->resident_bytes >> 10);
	vb_note(t, "%u lives: resident from %llu to %llu KiB", lives,
		(unsigned long long)before->resident_bytes >> 10,
		(unsigned long long)after->resident_bytes >> 10);
}

struct story {
	struct life life;
	const struct vb_pair *neighbour;
	struct figures detected[WAYS], recovered;
	uint64_t seen_ns, delivered;
	unsigned lives; /* over */
};

static void live(struct story *s, unsigned lives)
{
	struct life *l = &s->life;
	unsigned way;

	for (unsigned i = 0; i < lives; i++) {
		born(l);
		if (s->lives)
			figure(&s->recovered, vb_now_ns() - s->seen_ns);
		way = next_way(l, s->lives++);
		figure(&s->detected[way], breaks(l, way, &s->delivered));
		s->seen_ns = vb_now_ns();
		dies(l, way, s->neighbour);
	}
}

static void rebuild(struct vb_test *t, unsigned lives)
{
	struct story s = { .life.t = t };
	struct vb_usage before, after;

	s.neighbour = vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SHARED);
	s.life.near = !memcmp(vb_gid(vb_a(t)), vb_gid(vb_b(t)),
			      sizeof(union ibv_gid));
	live(&s, WARM);
	before = vb_usage(vb_a(t));
	live(&s, lives);
	after = vb_usage(vb_a(t));
	/* Short of memory, the system takes pages of the program's files, and
	 * they come back when they are needed: a leak grows a second time. */
	if (grown(&before, &after, lives)) {
		before = after;
		live(&s, lives);
		after = vb_usage(vb_a(t));
	}
	vb_expect_all_settled(t);
	compare(t, &before, &after, lives);
	for (unsigned i = 0; i < WAYS; i++)
		tell(t, ways[i].name, &s.detected[i]);
	tell(t, "rebuilt, to the first message", &s.recovered);
	vb_note(t,
		"of %u messages in flight %llu were delivered; %llu stale "
		"completions were dropped",
		s.lives * DEPTH, (unsigned long long)s.delivered,
		(unsigned long long)vb_stale(t));
}

static void run_few(struct vb_test *t)
{
	rebuild(t, FEW);
}

static void run_thousand(struct vb_test *t)
{
	rebuild(t, THOUSAND);
}

#define RULES                                                               \
	VB_LIST("TDN-01", "TDN-02", "TDN-04", "TDN-05", "TDN-08", "DST-04", \
		"DST-07")
#define DEFECTS VB_LIST("WRID-03", "WRID-09", "DISC-06", "CQ-16")

VB_CASE(soak_rebuild, .id = "soak/rebuild",
	.title = "a thousand broken connections are made anew in a row",
	.spec = "ibv_destroy_qp(3); InfiniBand: transport retries",
	.dimension = VB_SOAK,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 300000,
	.fixed = VB_PATH_SRQ, .rules = RULES, .defects = DEFECTS,
	.kills = VB_LIST("M17"), .run = run_thousand);

VB_CASE(soak_rebuild_few, .id = "soak/rebuild-few",
	.title = "all of a broken connection is made anew, and nothing of the "
		 "old is left",
	.spec = "ibv_destroy_qp(3); InfiniBand: transport retries",
	.dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY, .limit_ms = 30000,
	.fixed = VB_PATH_SRQ, .rules = RULES, .defects = DEFECTS,
	.kills = VB_LIST("M17"), .run = run_few);
