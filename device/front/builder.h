/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ibv_wr_*(): requests are built one call at a time, beside the queue, and
 * posted all together or not at all by wr_complete.
 */
#ifndef DEVICE_FRONT_BUILDER_H
#define DEVICE_FRONT_BUILDER_H

#include "device/front/objects.h"

/* Are these operations (IBV_QP_EX_WITH_*) ones that this type has? */
bool builder_serves(enum ibv_qp_type type, uint64_t send_ops);
/* Give @qp, whose engine knows its type and caps, what it takes to build such
 * requests; -ENOMEM. */
int builder_open(struct soft_qp *qp, uint64_t send_ops) MUST_USE;
/* May be without. */
void builder_close(struct soft_qp *qp);

#endif
