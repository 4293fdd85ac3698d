/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The direct verbs of the software device, looked for by name: the program
 * does not link it, and it is in the process only when it was preloaded.
 */
#ifndef SUITE_END_DIRECT_H
#define SUITE_END_DIRECT_H

#include <stdbool.h>

#include "softrdma/softdv.h"

/* Each is NULL when the process has no software device, or one that is older
 * than the function. */
struct direct {
#define DIRECT(name) __typeof__(softdv_##name) *name;
#include "suite/end/direct.def"
#undef DIRECT
};

void direct_find(struct direct *out);
/* Is it a context of the software device? */
bool direct_is_soft(const struct direct *d, struct ibv_context *context);

#endif
