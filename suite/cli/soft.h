/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The software device is a library that is preloaded: into this program, by
 * starting it again, or into any other.
 */
#ifndef SUITE_CLI_SOFT_H
#define SUITE_CLI_SOFT_H

#include <stdbool.h>

#include "base/compiler.h"

/* Is @device one of its devices, by its name? */
bool soft_is(const char *device);
/*
 * Put it into LD_PRELOAD, for the next program that this process becomes.  0,
 * or a negative errno and *@error (free() it).
 */
int soft_preload(char **error) MUST_USE;
/*
 * Make sure that it is in this process: returns 0 if it is; starts @argv again
 * with it if it is not, and does not return; or a negative errno and *@error.
 */
int soft_require(char **argv, char **error) MUST_USE;

#endif
