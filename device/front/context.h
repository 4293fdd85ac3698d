/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opening and closing our device, and the operations of a context. */
#ifndef DEVICE_FRONT_CONTEXT_H
#define DEVICE_FRONT_CONTEXT_H

#include "device/front/objects.h"

int soft_open_device(struct ibv_context **out) MUST_USE;
/* -EBUSY while objects live in it. */
int soft_close_device(struct ibv_context *context) MUST_USE;
/* Every operation has a function, if only one that refuses (ops.c). */
void context_fill_ops(struct verbs_context *verbs);

#endif
