/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Asynchronous events of a context: a bounded queue, oldest first.  An event
 * that no longer fits is lost, and an error line says so once.
 */
#ifndef DEVICE_FRONT_EVENT_H
#define DEVICE_FRONT_EVENT_H

#include "device/front/objects.h"

int event_queue_init(struct event_queue *q) MUST_USE;
void event_queue_destroy(struct event_queue *q);

/* Post an event of @type about @element: a struct soft_cq, soft_qp or soft_srq,
 * as the type says, or NULL for one about the port.  Any thread, any lock but an
 * event queue's. */
void event_post(struct soft_context *context, enum ibv_event_type type,
		void *element);
/*
 * @element is about to go, and nothing posts about it any more: forget the
 * events that were not fetched, and wait until those that were are acked.
 * Without locks.  The source is that of the element.
 */
void event_settle(struct soft_context *context, const void *element,
		  struct event_source *source);

/* The application acked an event about one of our objects. */
void soft_ack_async_event(struct ibv_async_event *event);

#endif
