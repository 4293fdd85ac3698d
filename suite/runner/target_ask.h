/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The questions to a device, as target.c has them asked by a child. */
#ifndef SUITE_RUNNER_TARGET_ASK_H
#define SUITE_RUNNER_TARGET_ASK_H

#include <stddef.h>

/* @shared: struct target_list. */
int target_ask_list(const void *arg, void *shared, char *error, size_t size);
/* @arg: struct vb_options; @shared: struct target. */
int target_ask_probe(const void *arg, void *shared, char *error, size_t size);

struct target_device;

/* The device called @name.  0, or a negative errno and @error: it says which
 * ones there are, or why it cannot be opened. */
int target_ask_device(const char *name, struct target_device *out, char *error,
		      size_t size);

#endif
