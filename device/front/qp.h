/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queue pairs, as other parts of front need them. */
#ifndef DEVICE_FRONT_QP_H
#define DEVICE_FRONT_QP_H

#include "device/front/objects.h"

static inline struct soft_qp *soft_qp_cast(struct ibv_qp *verbs)
{
	return container_of(verbs, struct soft_qp, verbs.qp_base);
}

/* The queue pairs of a closed context are gone for their peers: silence. */
void soft_qp_reap(struct soft_context *context);

#endif
