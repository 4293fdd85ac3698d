/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A script that fails made as short and plain as it can be and still fail:
 * chunks of steps left out, halved until they are single steps, all steps of
 * one kind or one operand of all of them at a time, then operands made
 * simpler, until nothing more goes or there have been tries enough.
 */
#ifndef SUITE_ORACLE_WALK_SHRINK_H
#define SUITE_ORACLE_WALK_SHRINK_H

#include <stdbool.h>

#include "base/compiler.h"
#include "suite/oracle/walk_script.h"

struct walk_shrink {
	/* Does it fail in the same way? */
	bool (*fails)(void *arg, const struct walk_script *s);
	/* May another try be made?  Asked before each. */
	bool (*go_on)(void *arg);
	void *arg;
	unsigned tries; /* made */
};

/* @s fails already, and becomes the smallest one found.  0 or -ENOMEM. */
int walk_shrink(struct walk_shrink *w, struct walk_script *s) MUST_USE;

#endif
