/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts that our device has in /sys, where there are none. */
#ifndef DEVICE_FRONT_SYSFS_H
#define DEVICE_FRONT_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

/* No text is longer. */
enum { SYSFS_TEXT_MAX = 255 };

bool sysfs_is_ours(const char *path);

/* Copy the text of the file @path, cut to @room with its NUL; its length.
 * ENOENT: not one of ours. */
int sysfs_text(const char *path, char *to, size_t room) MUST_USE;

#endif
