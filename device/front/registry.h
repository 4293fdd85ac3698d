/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The living objects that front itself makes: contexts, protection domains,
 * channels.  Each remove refuses, with -EBUSY, what is still used, and with
 * -EINVAL what is not one of them; afterwards the object is the caller's alone.
 */
#ifndef DEVICE_FRONT_REGISTRY_H
#define DEVICE_FRONT_REGISTRY_H

#include "device/front/objects.h"

void registry_add_context(struct soft_context *context);
/* @call must not come back here: the front lock is held. */
void registry_each_context(void (*call)(struct soft_context *context,
					void *arg),
			   void *arg);
/* Always possible: with *@left objects alive in it, it is only closed to
 * calls, and its memory must stay. */
int registry_remove_context(struct ibv_context *verbs,
			    struct soft_context **context,
			    uint32_t *left) MUST_USE;

/* Sets the handle, and counts one user of the context until removed; -ENOMEM
 * when there are as many as the device has. */
int registry_add_pd(struct soft_pd *pd) MUST_USE;
int registry_remove_pd(struct ibv_pd *verbs, struct soft_pd **pd) MUST_USE;

/* Counts one user of the context until removed. */
void registry_add_channel(struct soft_channel *channel);
int registry_remove_channel(struct ibv_comp_channel *verbs,
			    struct soft_channel **channel) MUST_USE;

/* The PDs and channels of a closed context are found no more. */
void registry_reap(struct soft_context *context);

#endif
