/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The life of the process of an end; @fd leads to its agent. */
#ifndef SUITE_MESH_CHILD_H
#define SUITE_MESH_CHILD_H

#include "base/compiler.h"
#include "suite/mesh/end.h"

/* 0, or a negative errno, with the reason in the result. */
int mesh_child(struct mesh_shared *shared, uint32_t pair, int fd) MUST_USE;

#endif
