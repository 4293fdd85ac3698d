/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The device's limits as constants: LIMIT_max_qp and so on (limits.def). */
#ifndef DEVICE_FRONT_LIMITS_H
#define DEVICE_FRONT_LIMITS_H

#define SOFT_LIMIT(name, value, text) LIMIT_##name = value,
enum {
#include "device/front/limits.def"
};
#undef SOFT_LIMIT

#endif
