// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * retry_cnt n are n tries more than the first: a message of which n packets
 * are lost in a row arrives by the last one, and one of which n + 1 are lost is
 * given up.  Afterwards, having made progress, it has them all again.
 */
#include <verbatim/case.h>

enum { COUNTS = 7, TIMEOUT = 8, BYTES = 60 };

static void lose(struct vb_test *t, struct vb_pair *p, unsigned retries,
		 unsigned lost)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES), *send;
	unsigned long long acted;

	vb_wire_spoil(t, "drop:dir=tx,op=RC_SEND_ONLY,qp=%u,count=%u",
		      vb_qp_num(p->a), lost);
	send = vb_post_send(p->a, .len = BYTES);
	if (lost <= retries) {
		vb_expect_message(send, recv);
	} else {
		vb_expect_wc(send, IBV_WC_RETRY_EXC_ERR);
		vb_expect_pending(recv, 0);
		vb_expect_untouched(recv);
	}
	acted = vb_wire_acted(t, 0);
	vb_check(t, VB_FIND_WRONG_COUNT, acted == lost,
		 "retry_cnt %u: %llu tries were lost, must be %u", retries,
		 acted, lost);
	vb_wire_heal(t);
}

static void run(struct vb_test *t)
{
	for (unsigned i = 0; i <= COUNTS; i++) {
		struct vb_pair *p = vb_connect(
			t, .depth = 2, .attr = { .timeout = VB_SET(TIMEOUT) },
			.attr_a = { .retry = VB_SET(i) });

		if (i > 0) {
			lose(t, p, i, i);
			lose(t, p, i, i);
		}
		lose(t, p, i, i + 1);
		vb_expect_settled(p);
		vb_destroy_qp(p->a);
		vb_destroy_qp(p->b);
	}
}

VB_CASE(wire_last_try, .id = "wire/last-try",
	.title = "retry_cnt losses in a row are healed, and one more is not",
	.spec = "ibv_modify_qp(3): retry_cnt", .dimension = VB_FAULT,
	.needs = VB_NEED_RC | VB_NEED_FAULTS, .limit_ms = 20000,
	.fixed = VB_PATH_SRQ,
	.rules = VB_LIST("CON-07", "CON-06", "RNR-08", "RNR-09"),
	.defects = VB_LIST("RETRY-05", "RETRY-14"), .kills = VB_LIST("D51"),
	.run = run);
