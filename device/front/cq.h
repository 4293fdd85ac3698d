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

/* Is it right to be made so?  *@stamped: its entries need times. */
int cq_ex_judge(const struct ibv_cq_init_attr_ex *attr, bool *stamped) MUST_USE;
/* How it is polled and read as an ibv_cq_ex; all CQs can be. */
void cq_ex_fill(struct soft_cq *cq);
/* Progress, then the oldest entry, if there is one. */
bool cq_take_one(struct soft_cq *cq, struct soft_cq_entry *entry);
/* Holds it a completion of that queue pair which is no error?  With the adapter
 * lock held. */
bool cq_has_done(const struct sd_cq *engine, uint32_t qpn);
/* The queue pair begins anew, or goes: its completions that were not polled go
 * with it.  With the adapter lock held. */
void cq_forget_qp(struct soft_cq *cq, uint32_t qpn);
/* An entry was added: who waits for one like it is told (cq_arm.c).  These two
 * with the adapter lock held. */
void cq_notify(struct soft_cq *cq, bool solicited);
void cq_disarm(struct soft_cq *cq);
/* The CQs of a closed context are armed no more, and are found no more. */
void soft_cq_reap(struct soft_context *context);

static inline struct soft_cq *soft_cq_cast(struct ibv_cq *verbs)
{
	return container_of((struct ibv_cq_ex *)verbs, struct soft_cq, verbs);
}

static inline struct sd_cq *soft_cq_engine(struct soft_cq *cq)
{
	return (struct sd_cq *)cq;
}

#endif
