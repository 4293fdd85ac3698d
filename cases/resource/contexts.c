// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A device is opened many times, from several threads too; what is made in one
 * context works while others are closed in any order, and traffic beside it
 * does not notice.
 */
#include <verbatim/case.h>

enum { CONTEXTS = 12, THREADS = 4 };

static void open_and_close(struct vb_test *t, unsigned index, void *arg)
{
	vb_open_contexts(index % 2 ? vb_b(t) : vb_a(t), CONTEXTS, index);
}

static void run(struct vb_test *t)
{
	struct vb_pair *p = vb_connect(t, .depth = 8);

	vb_open_contexts(vb_a(t), CONTEXTS, 0);
	vb_threads(t, THREADS, open_and_close, NULL);
	vb_stream(p, .messages = 32, .inflight = 8, .direction = VB_BOTH_WAYS);
	vb_expect_settled(p);
}

VB_CASE(resource_contexts, .id = "resource/contexts",
	.title = "a device opened many times is itself each time",
	.spec = "ibv_open_device(3)", .needs = VB_NEED_RC, .limit_ms = 15000,
	.rules = VB_LIST("RES-25"), .defects = VB_LIST("CQ-16"), .run = run);
