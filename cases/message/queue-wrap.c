// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Queues and CQs wrap many times, with numbers in flight, list lengths and
 * depths that have no common divisor, so that each combination of positions
 * is met at the seam.
 */
#include <verbatim/case.h>

static const struct {
	uint32_t depth, inflight, list, signal_every, cqe;
} shapes[] = {
	{ 1, 1, 1, 1, 2 },  { 2, 2, 1, 2, 4 },	{ 3, 3, 2, 1, 6 },
	{ 7, 7, 3, 4, 15 }, { 8, 7, 5, 3, 17 }, { 17, 16, 7, 5, 35 },
};

static void run(struct vb_test *t)
{
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, 700 } };

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct vb_pair *p = vb_connect(t, .depth = shapes[i].depth,
					       .cqe = VB_SET(shapes[i].cqe));

		vb_stream(p, .messages = 150, .sizes = &sizes,
			  .inflight = shapes[i].inflight,
			  .list = shapes[i].list,
			  .signal_every = shapes[i].signal_every);
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
	}
}

VB_CASE(message_queue_wrap, .id = "message/queue-wrap",
	.title = "queues that wrap lose and repeat nothing",
	.spec = "ibv_create_qp(3), ibv_create_cq(3)", .needs = VB_NEED_RC,
	.limit_ms = 20000,
	.rules = VB_LIST("CQ-16", "CMP-01", "CMP-02", "CMP-03", "CMP-30",
			 "PST-01"),
	.defects = VB_LIST("CQ-13", "FLUSH-07", "RETRY-08", "CAPS-02"),
	.kills = VB_LIST("R11"), .run = run);
