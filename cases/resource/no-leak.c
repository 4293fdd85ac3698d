// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Objects of every kind are made and destroyed over and over, refusals
 * included: afterwards the process has as many descriptors and threads as
 * before, and hardly more memory.
 */
#include <verbatim/case.h>

enum { WARM = 8, ROUNDS = 120, BYTES = 4096 };

/* A sanitizer keeps what was freed, to see who uses it still. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GROWTH (1u << 30)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GROWTH (1u << 30)
#endif
#endif
#ifndef GROWTH
/* What the suite itself remembers of each object. */
#define GROWTH (4u << 20)
#endif

static void round_of_all(struct vb_test *t)
{
	const struct ibv_device_attr *attr = vb_device_attr(vb_a(t));
	struct vb_end *e = vb_a(t);
	struct vb_object *pd = vb_create_pd(e);
	struct vb_object *channel = vb_create_channel(e);
	struct vb_object *cq = vb_create_cq(e, .channel = channel,
					    .manual = true, .cqe = VB_SET(16));
	struct vb_object *mr = vb_create_mr(pd, .len = BYTES), *srq = NULL;
	struct vb_object *mw = NULL;
	struct vb_qp *qp = vb_create_qp(e, .pd = pd, .send_cq = cq,
					.recv_cq = cq, .depth = 8);

	if (attr->max_srq > 0)
		srq = vb_create_srq(pd, .depth = VB_SET(8));
	if (attr->max_mw > 0)
		mw = vb_try_create_mw(pd, IBV_MW_TYPE_1);
	vb_create_qp_refused(e, .pd = pd, .send_cq = cq, .recv_cq = cq,
			     .depth = 1,
			     .send_depth = VB_SET(attr->max_qp_wr + 1));
	vb_create_cq_refused(e, .cqe = VB_SET(0));
	vb_destroy_refused(pd);
	vb_destroy_refused(channel);
	vb_destroy_qp(qp);
	vb_destroy(cq);
	vb_destroy(channel);
	vb_destroy(mr);
	if (srq)
		vb_destroy(srq);
	if (mw)
		vb_destroy(mw);
	vb_destroy(pd);
}

static void run(struct vb_test *t)
{
	struct vb_usage before, after;

	for (unsigned i = 0; i < WARM; i++)
		round_of_all(t);
	before = vb_usage(vb_a(t));
	for (unsigned i = 0; i < ROUNDS; i++)
		round_of_all(t);
	after = vb_usage(vb_a(t));
	vb_check(t, VB_FIND_LEAK, after.descriptors == before.descriptors,
		 "%llu descriptors are open, before it were %llu",
		 (unsigned long long)after.descriptors,
		 (unsigned long long)before.descriptors);
	vb_check(t, VB_FIND_LEAK, after.threads == before.threads,
		 "%llu threads run, before it were %llu",
		 (unsigned long long)after.threads,
		 (unsigned long long)before.threads);
	vb_check(t, VB_FIND_LEAK,
		 after.resident_bytes <= before.resident_bytes + GROWTH,
		 "%llu KiB are resident, before it were %llu",
		 (unsigned long long)after.resident_bytes >> 10,
		 (unsigned long long)before.resident_bytes >> 10);
	vb_note(t, "%d rounds: resident from %llu to %llu KiB", ROUNDS,
		(unsigned long long)before.resident_bytes >> 10,
		(unsigned long long)after.resident_bytes >> 10);
}

VB_CASE(resource_no_leak, .id = "resource/no-leak",
	.title = "objects made and destroyed leave nothing behind",
	.spec = "ibv_create_qp(3), ibv_destroy_qp(3)", .limit_ms = 20000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("DST-10", "DST-11", "RES-17", "PD-01"),
	.defects = VB_LIST("CQ-14", "DISC-06"), .run = run);
