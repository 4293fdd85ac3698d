// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The key of a window of type 2 is its user's to choose in the low eight bits:
 * the helper changes those alone, never to what they were, and goes through
 * all of them.
 */
#include <verbatim/case.h>

enum { KEYS = 256, DRAWN = 64 };

static void run(struct vb_test *t)
{
	for (unsigned k = 0; k < DRAWN; k++) {
		uint32_t first = (uint32_t)vb_draw(t, 0, UINT32_MAX);
		uint32_t key = first;

		for (unsigned i = 0; i < KEYS; i++) {
			uint32_t next = ibv_inc_rkey(key);

			vb_check(t, VB_FIND_WRONG_RETURN,
				 next != key && next >> 8 == first >> 8,
				 "ibv_inc_rkey(0x%x) is 0x%x", key, next);
			vb_check(t, VB_FIND_WRONG_RETURN,
				 i + 1 == KEYS || next != first,
				 "ibv_inc_rkey() comes back to 0x%x after %u "
				 "keys",
				 first, i + 1);
			key = next;
		}
	}
}

VB_CASE(mw_next_key, .id = "mw/next-key",
	.title = "the next key of a window differs in its low byte alone",
	.spec = "ibv_inc_rkey(3)", .needs = VB_NEED_NOTHING, .limit_ms = 5000,
	.rules = VB_LIST("MW-14"), .run = run);
