// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A send out of memory that it may use, with an lkey of which one bit is
 * wrong, is a local error of that send.
 *
 * Sends before it are executed, those behind it flushed in order; the peer
 * notices nothing, stays in RTS, and keeps its receives.
 */
#include <verbatim/case.h>

enum { BYTES = 64, BEFORE = 2, BEHIND = 2 };

static void wrong_by(struct vb_test *t, uint32_t bit)
{
	struct vb_object *pd = vb_create_pd(vb_a(t));
	struct vb_object *mr = vb_create_mr(pd, .len = BYTES);
	struct vb_qp *a = vb_create_qp(vb_a(t), .pd = pd, .depth = 8);
	struct vb_qp *b = vb_create_qp(vb_b(t), .depth = 8);
	struct vb_pair *p = vb_join(a, b);
	struct vb_wr *recvs[BEFORE], *unused, *good[BEFORE], *bad;
	struct vb_wr *behind[BEHIND];

	for (unsigned i = 0; i < BEFORE; i++)
		recvs[i] = vb_post_recv(b, .len = BYTES);
	unused = vb_post_recv(b, .len = BYTES);
	for (unsigned i = 0; i < BEFORE; i++)
		good[i] = vb_post_send(a, .len = BYTES);
	bad = vb_post_send(a, .len = BYTES, .mr = mr,
			   .lkey = VB_SET(vb_mr_lkey(mr) ^ bit));
	for (unsigned i = 0; i < BEHIND; i++)
		behind[i] = vb_post_send(a, .len = BYTES);
	vb_expect_scenario(t, "S07", bad, NULL);
	for (unsigned i = 0; i < BEFORE; i++)
		vb_expect_message(good[i], recvs[i]);
	for (unsigned i = 0; i < BEHIND; i++)
		vb_expect_wc(behind[i], IBV_WC_WR_FLUSH_ERR);
	vb_expect_pending(unused, 2);
	vb_expect_untouched(unused);
	vb_expect_settled(p);
}

static void run(struct vb_test *t)
{
	wrong_by(t, 1 << 0);
	wrong_by(t, 1 << 7);
	wrong_by(t, 1u << 31);
}

VB_CASE(local_send_bad_lkey, .id = "local/send-bad-lkey",
	.title = "a send with a wrong lkey fails alone",
	.spec = "ibv_post_send(3), ibv_poll_cq(3)", .dimension = VB_FAULT,
	.needs = VB_NEED_RC, .limit_ms = 10000,
	.rules = VB_LIST("WCS-04", "MR-11", "CMP-25", "WCS-25", "QPS-22"),
	.defects = VB_LIST("MR-11", "WRID-01", "FLUSH-01"),
	.kills = VB_LIST("M19"), .run = run);
