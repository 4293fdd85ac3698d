/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The device's limits (limits.def): LIMIT_max_qp and so on is what there can be
 * at the most, limit_max_qp() what the user has left of it.
 */
#ifndef DEVICE_FRONT_LIMITS_H
#define DEVICE_FRONT_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define SOFT_LIMIT(name, value, variable, text) LIMIT_##name = value,
#define SOFT_FACT(name, value, text)		LIMIT_##name = value,
enum {
#include "device/front/limits.def"
};
#undef SOFT_LIMIT
#undef SOFT_FACT

#define SOFT_FACT(name, value, text)
#define SOFT_LIMIT(name, value, variable, text) uint32_t limit_##name(void);
#include "device/front/limits.def"
#undef SOFT_LIMIT
#undef SOFT_FACT

/* The variable of limit @index, SOFT_MAX_QP for instance, and the most that it
 * may say; NULL behind the last. */
const char *limits_variable(size_t index, uint32_t *most);
/* Set limit @index by a text: -EINVAL unless it is a number from 1 to the most.
 * NULL, or empty: all that there can be. */
int limits_set(size_t index, const char *text) MUST_USE;

#endif
