// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each value of rnr_retry, for a SEND and for a WRITE with immediate: n means
 * n + 1 tries, no fewer and no more, with the responder's timer between them;
 * then the message ends at its sender, and the responder is as it was.  Seven
 * has no end.
 */
#include <verbatim/case.h>

enum { COUNTS = 7, TIMER = 12, BYTES = 100, AGAIN = 3 };

static struct vb_wr *post(const struct vb_pair *p, struct vb_object *to)
{
	if (to)
		return vb_post_write(p->a, .to = to, .len = BYTES,
				     .imm = VB_SET(0x5eed));
	return vb_post_send(p->a, .len = BYTES);
}

static struct vb_pair *bring_up(struct vb_test *t, unsigned retries)
{
	return vb_connect(t, .depth = 2, .attr = { .timeout = VB_SET(20) },
			  .attr_a = { .rnr_retry = VB_SET(retries) },
			  .attr_b = { .min_rnr_timer = VB_SET(TIMER) });
}

/* How many tries the counter tells, or as many as must be. */
static uint64_t tries(struct vb_test *t, struct vb_object *to, unsigned retries)
{
	uint64_t before = 0, after = 0, took, least;
	struct vb_pair *p = bring_up(t, retries);
	bool counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	struct vb_wr *wr = post(p, to);

	vb_expect_scenario(t, "S03", wr, NULL);
	took = vb_took_ns(wr) / 1000;
	least = retries * vb_rnr_timer_ns(TIMER) / 1000;
	vb_check(t, VB_FIND_WRONG_TIMING, took >= least,
		 "rnr_retry %u: given up after %llu us, the retries take "
		 "%llu us",
		 retries, (unsigned long long)took, (unsigned long long)least);
	if (counted)
		counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &after);
	vb_destroy_qp(p->a);
	vb_destroy_qp(p->b);
	return counted ? after - before : retries + 1;
}

/* Others may use the device, and count too: once is enough. */
static void count(struct vb_test *t, struct vb_object *to, unsigned retries)
{
	uint64_t seen = tries(t, to, retries);

	for (unsigned i = 1; i < AGAIN && seen > retries + 1; i++)
		seen = tries(t, to, retries);
	vb_check(t, VB_FIND_WRONG_COUNT, seen == retries + 1,
		 "rnr_retry %u: a %s was given up after %llu RNR NAKs, it must "
		 "be %u",
		 retries, to ? "WRITE with immediate" : "SEND",
		 (unsigned long long)seen, retries + 1);
}

static void never(struct vb_test *t, struct vb_object *to)
{
	struct vb_pair *p = bring_up(t, COUNTS);
	uint64_t before, least = (COUNTS + 2) * vb_rnr_timer_ns(TIMER);
	bool counted = !vb_counter(vb_a(t), "rcvd_rnr_err", &before);
	struct vb_wr *wr = post(p, to), *recv;

	if (counted)
		vb_expect_counter(vb_a(t), "rcvd_rnr_err", before + COUNTS + 2);
	vb_expect_pending(wr, (unsigned)(least / 1000000) + 1);
	recv = vb_post_recv(p->b, .len = BYTES);
	vb_expect_scenario(t, "S04", wr, recv);
	vb_expect_message(wr, recv);
}

static void run(struct vb_test *t)
{
	struct vb_object *to = vb_create_target(vb_end_pd(vb_b(t)), BYTES);

	for (unsigned i = 0; i < COUNTS; i++) {
		count(t, NULL, i);
		count(t, to, i);
	}
	never(t, NULL);
	never(t, to);
	vb_expect_all_settled(t);
}

VB_CASE(rnr_retry_counts, .id = "rnr/retry-counts",
	.title = "rnr_retry 0 to 6 are as many retries, and 7 is for ever",
	.spec = "ibv_modify_qp(3): rnr_retry", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_RDMA | VB_NEED_RETRY | VB_NEED_IMM,
	.limit_ms = 20000,
	.rules = VB_LIST("RNR-02", "CON-08", "RNR-04", "WCS-13", "RNR-05"),
	.defects = VB_LIST("RNR-02", "RNR-07", "RNR-11"),
	.kills = VB_LIST("M25"), .run = run);
