/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Completion channels: CQs with events wait in a list until the application
 * fetches them.  A CQ's events are numbers, not entries: posting one allocates
 * nothing.
 */
#ifndef DEVICE_FRONT_CHANNEL_H
#define DEVICE_FRONT_CHANNEL_H

#include "device/front/objects.h"

/* Post one event of @cq, whose channel @channel is.  Any thread, any lock but
 * a channel's. */
void channel_post(struct soft_channel *channel, struct soft_cq *cq);
/*
 * @cq is about to go, and nothing posts for it any more: forget its events
 * that were not fetched, and wait until those that were are acked.  Without
 * locks.  A CQ without a channel has nothing to wait for.
 */
void channel_settle(struct soft_cq *cq);

#endif
