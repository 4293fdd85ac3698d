/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the queue pairs of an opened device are to be connected. */
#ifndef SUITE_RUNNER_TARGET_CM_H
#define SUITE_RUNNER_TARGET_CM_H

#include <stddef.h>

#include "base/compiler.h"

struct ibv_context;
struct target;
struct vb_options;

/* Resolves --connect; through the CM, has it tried that the device can be
 * reached there.  0, or a negative errno and @error. */
int target_cm_ask(struct ibv_context *context, const struct vb_options *o,
		  struct target *t, char *error, size_t size) MUST_USE;

#endif
