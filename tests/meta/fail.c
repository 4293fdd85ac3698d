// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One case for each finding, which fails with it after one check that held. */
#include <verbatim/case.h>

#define VB_FINDING(name, word, text)                                      \
	static void run_##name(struct vb_test *t)                         \
	{                                                                 \
		vb_check(t, VB_FIND_##name, true, "this holds");          \
		vb_check(t, VB_FIND_##name, t->seed == 0, "expected: %s", \
			 word);                                           \
	}                                                                 \
	VB_CASE(fail_##name, .id = "fail/" word, .title = "fails: " text, \
		.dimension = VB_META, .needs = VB_NEED_NOTHING,           \
		.limit_ms = 5000, .run = run_##name);
#include "verbatim/findings.def"
#undef VB_FINDING
