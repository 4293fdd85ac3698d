// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A pair is torn down in the middle of its work and connected anew, many times
 * in a row, with new PSNs each time: each life begins clean, and what was left
 * of the one before never turns up in it.
 */
#include <verbatim/case.h>

enum { LIVES = 16, DEPTH = 16, LEFT = 8 };

static void run(struct vb_test *t)
{
	static const struct vb_sizes sizes = { .kind = VB_SIZES_RANGE,
					       .count = 2,
					       .bytes = { 0, 9000 } };
	struct vb_pair *p = vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SHARED);
	struct vb_pair *neighbour =
		vb_connect(t, .depth = DEPTH, .cq = VB_CQ_SHARED);

	for (unsigned life = 0; life < LIVES; life++) {
		vb_stream(p, .messages = DEPTH, .inflight = DEPTH,
			  .sizes = &sizes, .direction = VB_BOTH_WAYS);
		for (unsigned i = 0; i < LEFT; i++) {
			vb_post_recv(p->a, .len = 9000);
			vb_post_recv(p->b, .len = 9000);
		}
		for (unsigned i = 0; i < LEFT; i++) {
			vb_post_send(p->a, .len = 9000 - 1000 * i);
			vb_post_send(p->b, .len = 1000 * i);
		}
		/* Not waited for: they are cut off, or stale. */
		vb_reconnect(p);
		vb_stream(neighbour, .messages = 4, .inflight = 4,
			  .sizes = &sizes, .direction = VB_BOTH_WAYS);
	}
	vb_stream(p, .messages = 32, .direction = VB_BOTH_WAYS);
	vb_expect_all_settled(t);
}

VB_CASE(disconnect_rebuild, .id = "disconnect/rebuild",
	.title = "a pair is torn down and rebuilt many times, clean each time",
	.spec = "ibv_modify_qp(3): any state to RESET", .needs = VB_NEED_RC,
	.dimension = VB_FAULT, .limit_ms = 20000,
	.rules = VB_LIST("TDN-01", "TDN-02", "TDN-05", "QPS-14", "DST-07"),
	.defects = VB_LIST("WRID-03", "WRID-09", "DISC-07", "PSN-04"),
	.kills = VB_LIST("M33", "M17"), .run = run);
