// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Objects of each kind are made until the device refuses, or there are 2500 of
 * them (600 CQs): a refusal is clean, what was made before works, and all of it can be
 * destroyed and made again.
 */
#include <verbatim/case.h>

enum { MANY = 2500, BYTES = 64 };

/* Every wait polls all completion queues: of those a few less. */
static const struct {
	const char *names;
	unsigned most;
} kinds[] = { { "PDs", MANY }, { "MRs", MANY }, { "CQs", 600 } };

static struct vb_object *make(struct vb_end *e, struct vb_object *pd,
			      unsigned kind)
{
	switch (kind) {
	case 0:
		return vb_try_create_pd(e);
	case 1:
		return vb_try_create_mr(pd, .len = BYTES);
	case 2:
		return vb_try_create_cq(e, .cqe = VB_SET(2));
	}
	return NULL;
}

static void run(struct vb_test *t)
{
	static struct vb_object *made[MANY];
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_pair *p = vb_connect(t, .depth = 4);

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned kind = 0; kind < 3; kind++) {
			unsigned n = 0;

			while (n < kinds[kind].most &&
			       (made[n] = make(vb_a(t), pd, kind)) != NULL)
				n++;
			vb_check(t, VB_FIND_WRONG_RETURN, n > 0,
				 "not one of the %s could be made",
				 kinds[kind].names);
			if (n < kinds[kind].most)
				vb_note(t, "%u %s, then a refusal", n,
					kinds[kind].names);
			vb_stream(p, .messages = 8, .inflight = 4,
				  .direction = VB_BOTH_WAYS);
			while (n)
				vb_destroy(made[--n]);
		}
	}
	vb_destroy(pd);
	vb_expect_settled(p);
}

VB_CASE(resource_many_objects, .id = "resource/many-objects",
	.title = "objects, up to 2500 of a kind, harm none of the earlier",
	.spec = "ibv_query_device(3)", .needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("RES-16", "RES-17", "RES-15"),
	.defects = VB_LIST("CQ-08"), .run = run);
