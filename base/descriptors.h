/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Descriptors for a library within a program that has not reckoned with them:
 * where the program's limit is reached, more are allowed, as far as the system
 * lets the process do that by itself.
 */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stdbool.h>

/* A call failed with this errno: is it worth another try?  For EMFILE the soft
 * limit is raised a step, unless that is the hard one already. */
bool descriptors_more(int err);

#endif
