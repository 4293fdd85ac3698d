// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The standard traffic, as the options say: sizes of --size, --inflight at a
 * time, both ways.  Every message has one completion on each side, in
 * sequence, with its length and its content.
 */
#include <verbatim/case.h>

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .type = IBV_QPT_RC);
	struct vb_tally tally =
		vb_stream(p, .messages = 256, .direction = VB_BOTH_WAYS);

	vb_note(t, "%llu messages, %llu bytes in %llu us",
		(unsigned long long)tally.messages,
		(unsigned long long)tally.bytes,
		(unsigned long long)tally.duration_ns / 1000);
	vb_expect_settled(p);
}

VB_CASE(message_standard_stream, .id = "message/standard-stream",
	.title = "the standard traffic arrives verbatim, both ways",
	.spec = "ibv_post_send(3), ibv_post_recv(3), ibv_poll_cq(3)",
	.needs = VB_NEED_RC, .limit_ms = 20000,
	.rules = VB_LIST("WCS-00", "MSG-01", "MSG-02", "MSG-15", "MSG-16",
			 "CMP-01", "CMP-02", "CMP-03", "CMP-13", "CMP-21"),
	.defects = VB_LIST("DATA-11", "WRID-05"), .run = run);
