/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions and the table of keys, as other parts of front need them. */
#ifndef DEVICE_FRONT_MR_H
#define DEVICE_FRONT_MR_H

#include "device/front/objects.h"

/* Make the keys of all regions and windows of @context invalid, for good. */
void soft_mr_revoke(struct soft_context *context);

/* With the adapter lock held. */

/* The region that @verbs is, or NULL: none of ours, or no longer. */
struct soft_mr *soft_mr_find(const struct ibv_mr *verbs);
/* Give a region or window its keys; -ENOMEM: there are as many of its kind as
 * the device has. */
int soft_key_add(struct sd_mr *key) MUST_USE;
void soft_key_remove(struct sd_mr *key);
/* A queue pair goes: the type 2 windows that it has bound are bound no more. */
void soft_key_forget_binder(const struct sd_qp *qp);

#endif
