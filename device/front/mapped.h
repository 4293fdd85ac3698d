/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether memory could be pinned, asked of the kernel when it is registered. */
#ifndef DEVICE_FRONT_MAPPED_H
#define DEVICE_FRONT_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/*
 * 0 when all of [addr, addr + len) is mapped, and writable if @writable;
 * -EFAULT when not.  @addr + @len must not wrap.  A kernel before 5.14 cannot
 * be asked about writing.
 */
int mapped_check(const void *addr, size_t len, bool writable) MUST_USE;

#endif
