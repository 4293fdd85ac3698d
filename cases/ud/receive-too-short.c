// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receive needs room for the datagram and the 40 bytes before it.  One that
 * is too small is passed over, or completes with an error; it is not overrun,
 * and its sender is not told.
 */
#include <verbatim/case.h>

enum { BYTES = 200, HEADER = 40, QUIET_MS = 10, TRIES = 3 };

static void run(struct vb_test *t)
{
	static const uint32_t rooms[TRIES] = { HEADER + BYTES - 1, BYTES,
					       HEADER };

	for (unsigned i = 0; i < TRIES; i++) {
		struct vb_pair *p =
			vb_connect(t, .type = IBV_QPT_UD, .depth = 4);
		struct vb_wr *recv =
			vb_post_recv(p->b, .len = rooms[i], .bare = true);
		struct vb_wr *send = vb_post_send(p->a, .len = BYTES);

		vb_expect_scenario(t, "S33", send, recv);
		vb_expect_dropped(send, QUIET_MS);
		vb_expect_guards(p->b);
		if (vb_completed(recv)) {
			vb_note(t,
				"a receive of %u bytes completed with an "
				"error",
				rooms[i]);
			vb_reconnect(p);
		} else {
			/* It takes what it has room for. */
			vb_expect_message(
				vb_post_send(p->a, .len = rooms[i] - HEADER),
				recv);
		}
		vb_expect_settled(p);
	}
}

VB_CASE(ud_receive_too_short, .id = "ud/receive-too-short",
	.title = "a datagram does not overrun a receive that is too small",
	.spec = "InfiniBand: unreliable datagrams", .dimension = VB_FAULT,
	.needs = VB_NEED_UD, .limit_ms = 10000, .fixed = VB_PATH_SRQ,
	.rules = VB_LIST("UD-07", "MR-24"), .kills = VB_LIST("M39"),
	.run = run);
