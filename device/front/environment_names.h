/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names of variables that are ours: what is misspelt would be ignored, and
 * its user would never know. */
#ifndef DEVICE_FRONT_ENVIRONMENT_NAMES_H
#define DEVICE_FRONT_ENVIRONMENT_NAMES_H

#include <stddef.h>

/* The @index-th variable that the library knows; NULL behind the last. */
const char *environment_name(size_t index);
/* The known name that is most like @name; NULL when none is nearly it. */
const char *environment_nearest(const char *name);
/* Warn of each variable that begins like ours and is none: a line, and only the
 * first time that a process asks. */
void environment_warn_unknown(char *const *environment);

#endif
