/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of the program that a command points to, which may not be there. */
#ifndef DEVICE_FRONT_CM_USER_H
#define DEVICE_FRONT_CM_USER_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* 0 or -EFAULT. */
int user_read(void *to, uint64_t from, size_t len) MUST_USE;
int user_write(uint64_t to, const void *from, size_t len) MUST_USE;

#endif
