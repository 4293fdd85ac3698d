/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asking a device in a process of its own: what the device breaks, and how
 * long it takes, stays there.
 */
#ifndef SUITE_RUNNER_TARGET_CALL_H
#define SUITE_RUNNER_TARGET_CALL_H

#include <stddef.h>

#include "base/compiler.h"

struct target_call {
	/* Runs in the child; @shared has @bytes, all zero.  0, or a negative
	 * errno and a text in @error. */
	int (*ask)(const void *arg, void *shared, char *error, size_t size);
	const void *arg;
	size_t bytes;
	double patience;
};

/* 0 and the answer in @out, or a negative errno and *@error (free() it). */
int target_call(const struct target_call *call, void *out,
		char **error) MUST_USE;

#endif
