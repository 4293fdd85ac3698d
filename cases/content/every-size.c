// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Header, pseudo-random body and checksum of a message are compared at every
 * size from 0 to a little over two hundred bytes, so that each padding and
 * each tail of a copy loop has been seen, and then at many larger ones.
 */
#include <verbatim/case.h>

enum { SMALL_MAX = 200, SMALL_STEP = 63 };

static void run(struct vb_test *t)
{
	struct vb_sizes small = { .kind = VB_SIZES_LIST };
	const struct vb_sizes large = { .kind = VB_SIZES_RANGE,
					.count = 2,
					.bytes = { SMALL_MAX, 40000 } };
	struct vb_pair *p = vb_connect(t, .depth = 32);

	for (uint32_t first = 0; first <= SMALL_MAX; first += SMALL_STEP) {
		for (uint32_t i = 0; i < SMALL_STEP; i++)
			small.bytes[i] = first + i;
		small.count = SMALL_STEP;
		vb_stream(p, .messages = SMALL_STEP, .sizes = &small,
			  .direction = VB_BOTH_WAYS);
	}
	vb_stream(p, .messages = 64, .sizes = &large, .inflight = 32,
		  .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(content_every_size, .id = "content/every-size",
	.title = "content and checksum are right at every size",
	.spec = "ibv_poll_cq(3): data are in place with the completion",
	.needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("MSG-15", "MSG-06", "CMP-21", "RMA-15", "MR-24"),
	.defects = VB_LIST("DATA-01", "DATA-02", "LEN-14"), .run = run);
