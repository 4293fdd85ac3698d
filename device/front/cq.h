/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion queues of our device.  The engines know one as struct sd_cq and
 * look no further; here it is a soft_cq.
 */
#ifndef DEVICE_FRONT_CQ_H
#define DEVICE_FRONT_CQ_H

#include "device/engine/host.h"
#include "device/front/objects.h"

/* A queue pair's use of a CQ of @context: -EINVAL for what is none of its. */
int soft_cq_get(struct soft_context *context, struct ibv_cq *verbs,
		struct soft_cq **cq) MUST_USE;
void soft_cq_put(struct soft_cq *cq);

static inline struct sd_cq *soft_cq_engine(struct soft_cq *cq)
{
	return (struct sd_cq *)cq;
}

#endif
