/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory regions, as other parts of front need them. */
#ifndef DEVICE_FRONT_MR_H
#define DEVICE_FRONT_MR_H

#include "device/front/objects.h"

/* Make the keys of all regions of @context invalid, for good. */
void soft_mr_revoke(struct soft_context *context);

#endif
