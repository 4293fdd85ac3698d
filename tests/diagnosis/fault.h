/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cases with one fault each, of their own or of the device that they run on:
 * they must fail, and seeded.test and named.test want the fault named.
 */
#ifndef TESTS_DIAGNOSIS_FAULT_H
#define TESTS_DIAGNOSIS_FAULT_H

#include <verbatim/case.h>

enum { BYTES = 600, PSN = 0x400000 };

#define FAULT(name, id_text, needs_bits, ...)                                  \
	VB_CASE(fault_##name, .id = id_text, .title = "a seeded fault",        \
		.dimension = VB_META, .needs = (needs_bits), .limit_ms = 9000, \
		.rules = VB_LIST("CON-02"), .run = run_##name, ##__VA_ARGS__)

/* Quick to give up. */
#define QUICK .timeout = VB_SET(8), .retry = VB_SET(1)

/* A message as if nothing was, to @p->b or to @p->a. */
static inline void message(struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->b, .len = BYTES);

	vb_expect_message(vb_post_send(p->a, .len = BYTES), recv);
}

static inline void message_back(struct vb_pair *p)
{
	struct vb_wr *recv = vb_post_recv(p->a, .len = BYTES);

	vb_expect_message(vb_post_send(p->b, .len = BYTES), recv);
}

#endif
