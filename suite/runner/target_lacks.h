/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an opened device has no support for, found by trying. */
#ifndef SUITE_RUNNER_TARGET_LACKS_H
#define SUITE_RUNNER_TARGET_LACKS_H

struct ibv_context;
struct target;

void target_lacks_find(struct ibv_context *context, struct target *t);

#endif
