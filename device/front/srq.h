/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared receive queues, as queue pairs need them. */
#ifndef DEVICE_FRONT_SRQ_H
#define DEVICE_FRONT_SRQ_H

#include "device/front/objects.h"

/* A queue pair's use of an SRQ of @context: -EINVAL for what is none of its. */
int soft_srq_get(struct soft_context *context, struct ibv_srq *verbs,
		 struct soft_srq **srq) MUST_USE;
void soft_srq_put(struct soft_srq *srq);
/* The handles of a closed context name nothing any more. */
void soft_srq_reap(struct soft_context *context);

#endif
