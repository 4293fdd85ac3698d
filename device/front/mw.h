/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory windows, as posting needs them. */
#ifndef DEVICE_FRONT_MW_H
#define DEVICE_FRONT_MW_H

#include "device/front/objects.h"

/*
 * Judge what @wr (opcode BIND_MW) asks for a window of that kind, as far as it
 * can be told at once; the rest is told by the completion.  -EINVAL, or 0 and
 * *@bind.  With the adapter lock held.
 */
int mw_judge_bind(const struct ibv_send_wr *wr, enum sd_mr_kind kind,
		  struct sd_bind *bind) MUST_USE;

#endif
