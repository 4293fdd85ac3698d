// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A send whose lkey is that of a live MR with one bit of its tag wrong is a
 * local error of that send.
 *
 * Sends before it are executed, those behind it flushed in order; the peer
 * notices nothing, stays in RTS, and keeps its receives.
 */
#include <verbatim/case.h>

enum { BYTES = 64, BEFORE = 2, BEHIND = 2 };

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);
	struct vb_object *mr =
		vb_create_mr(vb_create_pd(vb_a(t)), .len = BYTES);
	uint32_t wrong = vb_mr_lkey(mr) ^ 1;
	struct vb_wr *recvs[BEFORE], *unused, *good[BEFORE], *bad;
	struct vb_wr *behind[BEHIND];

	for (unsigned i = 0; i < BEFORE; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	unused = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < BEFORE; i++)
		good[i] = vb_post_send(p->a, .len = BYTES);
	bad = vb_post_send(p->a, .len = BYTES, .lkey = VB_SET(wrong));
	for (unsigned i = 0; i < BEHIND; i++)
		behind[i] = vb_post_send(p->a, .len = BYTES);
	vb_expect_scenario(t, "S07", bad, NULL);
	for (unsigned i = 0; i < BEFORE; i++)
		vb_expect_message(good[i], recvs[i]);
	for (unsigned i = 0; i < BEHIND; i++)
		vb_expect_wc(behind[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_pending(unused, 2);
	vb_expect_untouched(unused);
	vb_expect_state(p->b, IBV_QPS_RTS);
	vb_expect_settled(p);
	vb_reconnect(p);
	vb_stream(p, .messages = 4, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(local_send_bad_lkey, .id = "local/send-bad-lkey",
	.title = "a send with a wrong lkey fails alone",
	.spec = "ibv_post_send(3), ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("WCS-04", "MR-11", "CMP-25", "WCS-25", "QPS-22"),
	.defects = VB_LIST("MR-11", "WRID-01", "FLUSH-01"),
	.kills = VB_LIST("M19"), .run = run);
