/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening and closing our device, and the operations of a context. */
#ifndef DEVICE_FRONT_CONTEXT_H
#define DEVICE_FRONT_CONTEXT_H

#include "device/front/objects.h"

int soft_open_device(struct ibv_context **out) MUST_USE;
/*
 * Programs do close devices with objects still in them, and a kernel cleans up
 * behind them.  Here such a context stays in memory, so that destroying one of
 * its objects late does no harm, but is closed to calls, and the application's
 * memory is out of reach of the objects that are left.
 */
int soft_close_device(struct ibv_context *context) MUST_USE;
/* Every operation has a function, if only one that refuses (ops.c). */
void context_fill_ops(struct verbs_context *verbs);

#endif
