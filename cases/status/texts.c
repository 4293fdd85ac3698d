// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Each status has a text of its own, and a number that is none has one too:
 * programs print what they are given.
 */
#include <string.h>

#include <verbatim/case.h>

enum { LAST = IBV_WC_TM_RNDV_INCOMPLETE };

static const char *text(struct vb_test *t, int status)
{
	const char *s = ibv_wc_status_str((enum ibv_wc_status)status);

	vb_check(t, VB_FIND_WRONG_RETURN, s && s[0],
		 "ibv_wc_status_str(%d) gives no text", status);
	return s;
}

static void run(struct vb_test *t)
{
	static const int others[] = { LAST + 1, 99, 255, -1, 1 << 30 };

	for (int i = 0; i <= LAST; i++)
		for (int k = 0; k < i; k++)
			vb_check(t, VB_FIND_WRONG_RETURN,
				 strcmp(text(t, i), text(t, k)) != 0,
				 "statuses %d and %d have the same text: %s", k,
				 i, text(t, i));
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		text(t, others[i]);
}

VB_CASE(status_texts, .id = "status/texts", .title = "every status has a text",
	.spec = "ibv_poll_cq(3)", .needs = VB_NEED_NOTHING, .limit_ms = 5000,
	.rules = VB_LIST("CMP-29"), .run = run);
