/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Address handles, as posting and modifying need them. */
#ifndef DEVICE_FRONT_AH_H
#define DEVICE_FRONT_AH_H

#include "device/front/objects.h"

/* The address handle that @verbs is, or NULL: none of ours, or no longer.
 * With the adapter lock held. */
struct soft_ah *soft_ah_find(const struct ibv_ah *verbs);
/* Does an IPv4 route lead to that address?  The kernel asks when it looks for
 * the peer's MAC. */
bool soft_gid_reachable(const union ibv_gid *gid);
/* The handles of a closed context name nothing any more. */
void soft_ah_reap(struct soft_context *context);

#endif
