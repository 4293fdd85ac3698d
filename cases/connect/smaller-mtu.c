// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Every path MTU up to the port's works, with messages around its multiples.
 */
#include <verbatim/case.h>

enum { MTU_MIN = 256 };

static void run(struct vb_test *t)
{
	uint32_t most = vb_mtu(vb_a(t));

	for (uint32_t mtu = MTU_MIN; mtu <= most; mtu *= 2) {
		const struct vb_sizes sizes = {
			.kind = VB_SIZES_LIST,
			.count = 8,
			.bytes = { mtu - 1, mtu, mtu + 1, 2 * mtu - 1, 2 * mtu,
				   2 * mtu + 1, 9 * mtu, 1 },
		};
		struct vb_pair *p = vb_connect(t, .depth = 8,
					       .attr = { .mtu = VB_SET(mtu) });

		vb_expect_attributes(p->a);
		vb_stream(p, .messages = 16, .sizes = &sizes,
			  .direction = VB_BOTH_WAYS);
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
	}
}

VB_CASE(connect_smaller_mtu, .id = "connect/smaller-mtu",
	.title = "each path MTU that the port allows carries messages",
	.spec = "ibv_modify_qp(3): path_mtu", .needs = VB_NEED_RC,
	.limit_ms = 15000, .rules = VB_LIST("CON-03", "MSG-06", "QPS-09"),
	.defects = VB_LIST("MTU-01", "MTU-03"), .run = run);
