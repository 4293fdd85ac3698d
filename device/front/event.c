// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Asynchronous events: see the header. */
#include "device/front/event.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"

enum { EVENT_ROOM_FIRST = 16, EVENT_ROOM_MAX = 65536 };

int event_queue_init(struct event_queue *q)
{
	int err;

	*q = (struct event_queue){ .room = EVENT_ROOM_FIRST };
	q->events = calloc(q->room, sizeof(*q->events));
	if (!q->events)
		return -ENOMEM;
	err = notifier_open(&q->notifier);
	if (err) {
		free(q->events);
		return err;
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->acked, NULL);
	return 0;
}

void event_queue_destroy(struct event_queue *q)
{
	notifier_close(&q->notifier);
	pthread_cond_destroy(&q->acked);
	pthread_mutex_destroy(&q->lock);
	free(q->events);
}

static struct ibv_async_event *event_at(struct event_queue *q, uint32_t nth)
{
	return &q->events[(q->head + nth) % q->room];
}

/* Double the room; false when that is not possible or not allowed. */
static bool event_grow(struct event_queue *q)
{
	uint32_t room = q->room * 2;
	struct ibv_async_event *events;

	if (room > EVENT_ROOM_MAX)
		return false;
	events = calloc(room, sizeof(*events));
	if (!events)
		return false;
	for (uint32_t i = 0; i < q->count; i++)
		events[i] = *event_at(q, i);
	free(q->events);
	q->events = events;
	q->room = room;
	q->head = 0;
	return true;
}

static bool event_is_about_cq(enum ibv_event_type type)
{
	return type == IBV_EVENT_CQ_ERR;
}

static bool event_is_about_qp(enum ibv_event_type type)
{
	return (type >= IBV_EVENT_QP_FATAL && type <= IBV_EVENT_PATH_MIG_ERR) ||
	       type == IBV_EVENT_QP_LAST_WQE_REACHED;
}

static bool event_is_about_srq(enum ibv_event_type type)
{
	return type == IBV_EVENT_SRQ_ERR || type == IBV_EVENT_SRQ_LIMIT_REACHED;
}

static struct soft_cq *event_cq(const struct ibv_async_event *e)
{
	return container_of((struct ibv_cq_ex *)e->element.cq, struct soft_cq,
			    verbs);
}

static struct soft_qp *event_qp(const struct ibv_async_event *e)
{
	return container_of((struct ibv_qp_ex *)e->element.qp, struct soft_qp,
			    verbs);
}

static struct soft_srq *event_srq(const struct ibv_async_event *e)
{
	return container_of(e->element.srq, struct soft_srq, verbs);
}

static struct ibv_async_event event_make(enum ibv_event_type type,
					 void *element)
{
	struct ibv_async_event e = { .event_type = type };

	if (event_is_about_cq(type))
		e.element.cq = (void *)&((struct soft_cq *)element)->verbs;
	else if (event_is_about_qp(type))
		e.element.qp = (void *)&((struct soft_qp *)element)->verbs;
	else if (event_is_about_srq(type))
		e.element.srq = &((struct soft_srq *)element)->verbs;
	else
		e.element.port_num = 1;
	return e;
}

/* Whose acks count; NULL: the event is about the port. */
static struct event_source *event_source(const struct ibv_async_event *e)
{
	if (event_is_about_cq(e->event_type))
		return &event_cq(e)->async;
	if (event_is_about_qp(e->event_type))
		return &event_qp(e)->async;
	if (event_is_about_srq(e->event_type))
		return &event_srq(e)->async;
	return NULL;
}

void event_post(struct soft_context *context, enum ibv_event_type type,
		void *element)
{
	struct event_queue *q = &context->events;

	pthread_mutex_lock(&q->lock);
	if (q->count < q->room || event_grow(q)) {
		*event_at(q, q->count) = event_make(type, element);
		if (q->count++ == 0)
			notifier_raise(&q->notifier);
	} else if (!q->overflow_told) {
		q->overflow_told = true;
		log_error("async events: %u wait unread, which is all that "
			  "there is room for, later ones are lost",
			  q->count);
	}
	pthread_mutex_unlock(&q->lock);
}

static bool event_take(struct event_queue *q, struct ibv_async_event *event)
{
	struct event_source *source;

	if (q->count == 0)
		return false;
	*event = *event_at(q, 0);
	q->head = (q->head + 1) % q->room;
	q->count--;
	source = event_source(event);
	if (source)
		source->fetched++;
	if (q->count == 0 || MUTANT_ACTS(R18, true))
		notifier_clear(&q->notifier);
	return true;
}

int soft_get_async_event(struct ibv_context *verbs,
			 struct ibv_async_event *event)
{
	struct event_queue *q = &soft_context_cast(verbs)->events;
	bool reading_taken = false;

	for (;;) {
		bool taken;
		int err;

		pthread_mutex_lock(&q->lock);
		taken = event_take(q, event);
		if (reading_taken && q->count > 0)
			notifier_raise(&q->notifier);
		pthread_mutex_unlock(&q->lock);
		if (taken)
			return 0;
		err = notifier_wait(verbs->async_fd);
		if (err)
			return err;
		reading_taken = true;
	}
}

void soft_ack_async_event(struct ibv_async_event *event)
{
	struct event_source *source = event_source(event);
	struct event_queue *q;

	/* The caller has found that the object's context is ours; of WQs we
	 * have none. */
	if (!source)
		return;
	q = &soft_context_cast(event->element.cq->context)->events;
	pthread_mutex_lock(&q->lock);
	if (source->acked != source->fetched)
		source->acked++;
	pthread_cond_broadcast(&q->acked);
	pthread_mutex_unlock(&q->lock);
}

/* Take the events about @element out; the others keep their order. */
static void event_purge(struct event_queue *q, const void *element)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < q->count; i++) {
		struct ibv_async_event e = *event_at(q, i);

		if (!event_source(&e) || ((void *)e.element.cq != element &&
					  !MUTANT_ACTS(D88, true)))
			*event_at(q, kept++) = e;
	}
	q->count = kept;
	if (kept == 0)
		notifier_clear(&q->notifier);
}

/* D96 */
static MUTANT_COLD bool event_waits(struct event_queue *q, const void *element)
{
	for (uint32_t i = 0; i < q->count; i++)
		if ((void *)event_at(q, i)->element.cq == element)
			return true;
	return false;
}

void event_settle(struct soft_context *context, const void *element,
		  struct event_source *source)
{
	struct event_queue *q = &context->events;

	pthread_mutex_lock(&q->lock);
	if (q->count > 0 && !MUTANT_ACTS(D96, event_waits(q, element)))
		event_purge(q, element);
	while (source->fetched != source->acked)
		pthread_cond_wait(&q->acked, &q->lock);
	pthread_mutex_unlock(&q->lock);
}
