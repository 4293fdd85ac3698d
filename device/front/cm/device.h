/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The connection manager's character device, as the interposed functions of
 * the C library (libc.c) see it.  Each answers what the system call would: a
 * result, or a negative errno; CM_NOT_OURS: ask the system.
 */
#ifndef DEVICE_FRONT_CM_DEVICE_H
#define DEVICE_FRONT_CM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/compiler.h"

#define CM_DEVICE_PATH "/dev/infiniband/rdma_cm"

/* Descriptors above are never ours; and a result that no call has. */
enum { CM_FD_MAX = 65536, CM_NOT_OURS = -100000 };

/* Quick and without a lock: true for all of ours. */
bool cm_device_has(int fd);
/* Until _leave(), this thread's calls to the C library are our own: they go to
 * the system, and do not end by cancellation. */
int cm_device_enter(void);
void cm_device_leave(int before);

/* @rdev: the number of the system's own device of that name, or 0. */
int cm_device_open(int flags, dev_t rdev) MUST_USE;
ssize_t cm_device_write(int fd, const void *bytes, size_t len) MUST_USE;
int cm_device_stat(int fd, struct stat *st) MUST_USE;
/* Always CM_NOT_OURS: the descriptor itself is the system's to close. */
int cm_device_close(int fd) MUST_USE;

#endif
