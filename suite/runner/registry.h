/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cases that this program was linked with, found by themselves: VB_CASE()
 * puts a pointer to each record into one linker section.
 */
#ifndef SUITE_RUNNER_REGISTRY_H
#define SUITE_RUNNER_REGISTRY_H

#include <stddef.h>

#include "verbatim/case.h"

size_t registry_count(void);
/* The @n-th case in the order of the ids. */
const struct vb_case *registry_at(size_t n);
/* NULL: there is none of that id. */
const struct vb_case *registry_find(const char *id);

/*
 * What a record must have: an id of the form topic/behaviour that no other
 * case has, a title, a limit, a function.  NULL, or what is wrong; free() it.
 */
char *registry_fault(void) MUST_USE;

const char *registry_dimension_name(enum vb_dimension d);

#endif
