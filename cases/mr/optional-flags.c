// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Access flags of the optional range are wishes: a device that does not know
 * them registers all the same, and the region works as without them.
 */
#include <verbatim/case.h>

enum { BYTES = 5000 };

static void run(struct vb_test *t)
{
	static const unsigned wishes[] = { IBV_ACCESS_RELAXED_ORDERING,
					   1u << 28,
					   IBV_ACCESS_OPTIONAL_RANGE };
	struct vb_pair *p = vb_connect(t, .depth = 4);

	for (unsigned i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		unsigned access = IBV_ACCESS_LOCAL_WRITE | wishes[i];
		struct vb_object *mr = vb_try_create_mr(
			vb_qp_pd(p->b), .len = BYTES, .access = VB_SET(access));

		vb_check(t, VB_FIND_WRONG_RETURN, mr != NULL,
			 "a region with the optional flags 0x%x was refused",
			 wishes[i]);
		vb_expect_message(vb_post_send(p->a, .len = BYTES - i),
				  vb_post_recv(p->b, .len = BYTES, .mr = mr));
		vb_destroy(mr);
	}
	vb_expect_settled(p);
}

VB_CASE(mr_optional_flags, .id = "mr/optional-flags",
	.title = "optional access flags are accepted by all devices",
	.spec = "ibv_reg_mr(3): optional access flags", .needs = VB_NEED_RC,
	.limit_ms = 10000, .rules = VB_LIST("MR-23", "MR-17"),
	.defects = VB_LIST("MR-04"), .kills = VB_LIST("D35"), .run = run);
