// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A send out of memory registered in another PD than the QP's is a local error
 * of that send, right as its address and key may be.
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
	struct vb_wr *recvs[BEFORE], *unused, *good[BEFORE], *bad;
	struct vb_wr *behind[BEHIND];

	for (unsigned i = 0; i < BEFORE; i++)
		recvs[i] = vb_post_recv(p->b, .len = BYTES);
	unused = vb_post_recv(p->b, .len = BYTES);
	for (unsigned i = 0; i < BEFORE; i++)
		good[i] = vb_post_send(p->a, .len = BYTES);
	bad = vb_post_send(p->a, .len = BYTES, .mr = mr);
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

VB_CASE(local_send_foreign_pd, .id = "local/send-foreign-pd",
	.title = "a send from memory of another PD fails alone",
	.spec = "ibv_post_send(3), ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("PD-03", "WCS-04", "CMP-25", "WCS-25"),
	.defects = VB_LIST("PD-01", "PD-03"), .kills = VB_LIST("M34"),
	.run = run);
