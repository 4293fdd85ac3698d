// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues: a ring of exactly the entries asked for, and overflow,
 * which kills the CQ and the queue pairs that complete into it.
 */
#include "device/front/cq.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/idtable.h"
#include "device/front/channel.h"
#include "device/front/event.h"
#include "device/front/limits.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"

enum {
	CQ_HANDLE_BITS = 32,
	/* Polls that found nothing, after which the core is offered to
	 * others: the peer may share it with us. */
	CQ_POLLS_TO_YIELD = 64,
};

/* Under the front lock. */
static struct idtable_slot cq_slots[LIMIT_max_cq];
static struct idtable cq_table;

static struct idtable *cq_handles(void)
{
	if (!cq_table.slots)
		idtable_init(&cq_table, cq_slots, LIMIT_max_cq, CQ_HANDLE_BITS);
	return &cq_table;
}

/* With the front lock held: the CQ that the handle names, or NULL. */
static struct soft_cq *cq_find(struct ibv_cq *verbs)
{
	struct soft_cq *cq;

	if (!verbs)
		return NULL;
	cq = idtable_find(cq_handles(), verbs->handle);
	return cq == soft_cq_cast(verbs) ? cq : NULL;
}

int soft_cq_get(struct soft_context *context, struct ibv_cq *verbs,
		struct soft_cq **cq)
{
	struct soft_cq *found;

	front_lock();
	found = cq_find(verbs);
	if (found && found->context == context)
		found->users++;
	else
		found = NULL;
	front_unlock();
	if (!found)
		return -EINVAL;
	*cq = found;
	return 0;
}

void soft_cq_put(struct soft_cq *cq)
{
	front_lock();
	cq->users--;
	front_unlock();
}

void front_complete(struct sd_cq *engine, const struct sd_cqe *cqe)
{
	struct soft_cq *cq = (struct soft_cq *)engine;
	struct soft_cq_entry *entry;

	if (cq->failed)
		return;
	if (MUTANT_ACTS(D16, (cqe->wc.wc_flags & IBV_WC_GRH) &&
				     cq->ring.tail > 0 &&
				     ring_at(&cq->ring, cq->ring.count) == 0))
		return;
	if (ring_room(&cq->ring) == 0) {
		if (MUTANT_ACTS(M14, true))
			return;
		cq->failed = true;
		adapter_cq_failed(cq->context->adapter);
		event_post(cq->context, IBV_EVENT_CQ_ERR, cq);
		return;
	}
	entry = &cq->entries[ring_push(&cq->ring)];
	entry->wc = cqe->wc;
	entry->solicited = cqe->solicited;
	if (cq->stamped) {
		entry->clock_ns = clock_now_ns();
		entry->wall_ns = clock_wall_ns();
	}
	if (++cq->untold > cq->ring.count)
		cq->untold = cq->ring.count;
	cq_notify(cq, cqe->solicited);
}

bool front_cq_failed(const struct sd_cq *engine)
{
	return ((const struct soft_cq *)engine)->failed;
}

static int cq_publish(struct soft_cq *cq)
{
	int err;

	front_lock();
	err = cq_handles()->used < limit_max_cq()
		      ? idtable_add(cq_handles(), cq, &cq->verbs.handle)
		      : -ENOSPC;
	front_unlock();
	return err == -ENOSPC ? -ENOMEM : err;
}

/* R05 */
static MUTANT_COLD void cq_arm_born(struct soft_cq *cq)
{
	mutant_note(MUTANT_R05);
	cq->armed = SOFT_CQ_ARMED_ANY;
	sd_adapter_lock(cq->context->adapter);
	adapter_armed(cq->context->adapter, 1);
	sd_adapter_unlock(cq->context->adapter);
}

static int cq_create(struct ibv_context *context,
		     const struct ibv_cq_init_attr_ex *attr,
		     struct soft_cq **out)
{
	struct soft_cq *cq;
	bool stamped;
	int err = cq_ex_judge(attr, &stamped);

	if (err)
		return err;
	if (attr->cqe < 1 ||
	    (attr->cqe > limit_max_cqe() &&
	     !MUTANT_ACTS(D14, attr->cqe == limit_max_cqe() + 1)) ||
	    attr->comp_vector >= LIMIT_comp_vectors)
		return -EINVAL;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	cq->entries = calloc(attr->cqe, sizeof(cq->entries[0]));
	err = cq->entries ? 0 : -ENOMEM;
	if (err || (err = soft_context_get(context, &cq->context)))
		goto err_free;
	if (attr->channel &&
	    (err = soft_channel_get(attr->channel, &cq->channel)))
		goto err_put_context;
	cq->ring = ring_make(attr->cqe);
	cq->stamped = stamped;
	cq->single_threaded =
		(attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) &&
		(attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	cq->verbs.context = context;
	cq->verbs.channel = attr->channel;
	cq->verbs.cq_context = attr->cq_context;
	cq->verbs.cqe = (int)attr->cqe;
	cq->vector = attr->comp_vector;
	if (MUTANT_ON(R05) && cq->channel)
		cq_arm_born(cq);
	cq_ex_fill(cq);
	pthread_mutex_init(&cq->poll_lock, NULL);
	pthread_mutex_init(&cq->verbs.mutex, NULL);
	pthread_cond_init(&cq->verbs.cond, NULL);
	if ((err = cq_publish(cq)))
		goto err_put_channel;
	*out = cq;
	return 0;

err_put_channel:
	pthread_cond_destroy(&cq->verbs.cond);
	pthread_mutex_destroy(&cq->verbs.mutex);
	pthread_mutex_destroy(&cq->poll_lock);
	if (cq->channel)
		soft_channel_put(cq->channel);
err_put_context:
	soft_context_put(cq->context);
err_free:
	free(cq->entries);
	free(cq);
	return err;
}

int soft_create_cq(struct ibv_context *context, int cqe, void *cq_context,
		   struct ibv_comp_channel *channel, int comp_vector,
		   struct ibv_cq **out)
{
	/* Negative numbers are too large ones there. */
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)cqe,
		.cq_context = cq_context,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};
	struct soft_cq *cq;
	int err = cq_create(context, &attr, &cq);

	if (!err)
		*out = ibv_cq_ex_to_cq(&cq->verbs);
	return err;
}

int soft_create_cq_ex(struct ibv_context *context,
		      struct ibv_cq_init_attr_ex *attr, struct ibv_cq_ex **out)
{
	struct soft_cq *cq;
	int err = cq_create(context, attr, &cq);

	if (!err)
		*out = &cq->verbs;
	return err;
}

int soft_destroy_cq(struct ibv_cq *verbs)
{
	struct soft_cq *cq;
	int err = 0;

	front_lock();
	cq = cq_find(verbs);
	if (!cq)
		err = -EINVAL;
	else if (cq->users > 0)
		err = -EBUSY;
	else
		idtable_remove(cq_handles(), cq->verbs.handle);
	front_unlock();
	if (err)
		return err;
	sd_adapter_lock(cq->context->adapter);
	cq_disarm(cq);
	sd_adapter_unlock(cq->context->adapter);
	channel_settle(cq);
	event_settle(cq->context, cq, &cq->async);
	if (cq->channel)
		soft_channel_put(cq->channel);
	soft_context_put(cq->context);
	pthread_cond_destroy(&cq->verbs.cond);
	pthread_mutex_destroy(&cq->verbs.mutex);
	pthread_mutex_destroy(&cq->poll_lock);
	free(cq->entries);
	free(cq);
	return 0;
}

/* With the adapter lock held. */
static int cq_resize(struct soft_cq *cq, uint32_t cqe)
{
	struct soft_cq_entry *entries;
	uint32_t lost = 0;

	if (cqe < cq->ring.count)
		return -EINVAL;
	entries = calloc(cqe, sizeof(entries[0]));
	if (!entries)
		return -ENOMEM;
	if (MUTANT_ACTS(M15, cq->ring.tail + cq->ring.count > cq->ring.size))
		lost = cq->ring.size - cq->ring.tail;
	cq->ring.tail = ring_at(&cq->ring, lost);
	cq->ring.count -= lost;
	for (uint32_t i = 0; i < cq->ring.count; i++)
		entries[i] = cq->entries[ring_at(&cq->ring, i)];
	free(cq->entries);
	cq->entries = entries;
	cq->ring = (struct ring){ .size = cqe, .count = cq->ring.count };
	cq->verbs.cqe = (int)cqe;
	return 0;
}

int soft_resize_cq(struct ibv_cq *verbs, int cqe)
{
	struct soft_cq *cq;
	int err;

	if (cqe < 1 || (uint32_t)cqe > limit_max_cqe())
		return -EINVAL;
	front_lock();
	cq = cq_find(verbs);
	if (cq) {
		sd_adapter_lock(cq->context->adapter);
		err = cq_resize(cq, (uint32_t)cqe);
		sd_adapter_unlock(cq->context->adapter);
	} else {
		err = -EINVAL;
	}
	front_unlock();
	return err;
}

static bool cq_entry_is_error(const struct soft_cq_entry *e)
{
	return e->wc.status != IBV_WC_SUCCESS &&
	       e->wc.status != IBV_WC_WR_FLUSH_ERR;
}

/* Before up to @room entries are taken. */
static MUTANT_COLD void cq_spoil(struct soft_cq *cq, int room)
{
	struct soft_cq_entry *first = &cq->entries[ring_at(&cq->ring, 0)];

	if (MUTANT_ACTS(D15, cq->stuck))
		cq->ring.count = 0;
	for (int i = 0; i < room && (uint32_t)i < cq->ring.count; i++) {
		struct soft_cq_entry *e =
			&cq->entries[ring_at(&cq->ring, (uint32_t)i)];

		cq->polled++;
		if (MUTANT_ACTS(D18, e->wc.qp_num != first->wc.qp_num))
			e->wc.qp_num = first->wc.qp_num;
		if (MUTANT_ON(D15) && cq_entry_is_error(e)) {
			cq->stuck = true;
			cq->ring.count = (uint32_t)i + 1;
		}
	}
}

static inline int cq_take(struct soft_cq *cq, int room, struct ibv_wc *wc)
{
	int n = 0;

	while (n < room && cq->ring.count > 0)
		wc[n++] = cq->entries[ring_pop(&cq->ring)].wc;
	return n;
}

/* M16: a flush behind flushes goes where there is no room for it. */
static MUTANT_COLD int cq_overrun(struct soft_cq *cq, int n, struct ibv_wc *wc)
{
	const struct ibv_wc *next = &cq->entries[ring_at(&cq->ring, 0)].wc;

	if (!MUTANT_ACTS(M16, cq->ring.count > 0 && n > 0 &&
				      wc[n - 1].status == IBV_WC_WR_FLUSH_ERR &&
				      next->status == IBV_WC_WR_FLUSH_ERR))
		return n;
	wc[n] = *next;
	ring_pop(&cq->ring);
	return n + 1;
}

static MUTANT_COLD int cq_take_spoilt(struct soft_cq *cq, int room,
				      struct ibv_wc *wc)
{
	int n;

	cq_spoil(cq, room);
	n = cq_take(cq, room, wc);
	if (MUTANT_ON(M16) && n == room)
		n = cq_overrun(cq, n, wc);
	if (MUTANT_ON(M18) && mutant_window_is_open(MUTANT_M18, cq))
		mutant_window_step(MUTANT_M18);
	return n;
}

/* Was this one empty poll too many in a row? */
static bool cq_tires(struct soft_cq *cq, bool empty)
{
	if (!empty)
		cq->empty_polls = 0;
	else if (++cq->empty_polls == CQ_POLLS_TO_YIELD)
		cq->empty_polls = 0;
	else
		return false;
	return empty;
}

/* The data path trusts the pointer, as every provider does. */
int soft_poll_cq(struct ibv_cq *verbs, int room, struct ibv_wc *wc)
{
	struct soft_cq *cq = soft_cq_cast(verbs);
	struct sd_adapter *adapter = cq->context->adapter;
	bool yield;
	int n;

	if (room < 0)
		return -1;
	sd_adapter_lock(adapter);
	if (cq->ring.count < (uint32_t)room)
		adapter_progress(adapter);
	n = MUTANT_ANY() ? cq_take_spoilt(cq, room, wc) : cq_take(cq, room, wc);
	yield = cq_tires(cq, n == 0);
	sd_adapter_unlock(adapter);
	if (yield)
		sched_yield();
	return n;
}

bool cq_take_one(struct soft_cq *cq, struct soft_cq_entry *entry)
{
	struct sd_adapter *adapter = cq->context->adapter;
	bool taken, yield;

	sd_adapter_lock(adapter);
	if (cq->ring.count == 0)
		adapter_progress(adapter);
	if (MUTANT_ANY())
		cq_spoil(cq, 1);
	taken = cq->ring.count > 0;
	if (taken)
		*entry = cq->entries[ring_pop(&cq->ring)];
	if (MUTANT_ON(M18) && mutant_window_is_open(MUTANT_M18, cq))
		mutant_window_step(MUTANT_M18);
	yield = cq_tires(cq, !taken);
	sd_adapter_unlock(adapter);
	if (yield)
		sched_yield();
	return taken;
}

bool cq_has_done(const struct sd_cq *engine, uint32_t qpn)
{
	const struct soft_cq *cq = (const struct soft_cq *)engine;

	for (uint32_t i = 0; i < cq->ring.count; i++) {
		const struct ibv_wc *wc =
			&cq->entries[ring_at(&cq->ring, i)].wc;

		if (wc->qp_num == qpn && wc->status == IBV_WC_SUCCESS)
			return true;
	}
	return false;
}

void cq_forget_qp(struct soft_cq *cq, uint32_t qpn)
{
	struct ring *ring = &cq->ring;
	bool behind = false; /* M17: one that goes */
	uint32_t kept = 0;

	for (uint32_t i = 0; i < ring->count; i++) {
		struct soft_cq_entry *e = &cq->entries[ring_at(ring, i)];

		if (e->wc.qp_num != qpn && !MUTANT_ACTS(M17, behind))
			cq->entries[ring_at(ring, kept++)] = *e;
		behind = e->wc.qp_num == qpn;
	}
	ring->count = kept;
}

void soft_cq_reap(struct soft_context *context)
{
	struct soft_cq *cq;
	uint32_t slot = 0;

	front_lock();
	sd_adapter_lock(context->adapter);
	while ((cq = idtable_next(cq_handles(), &slot))) {
		if (cq->context != context)
			continue;
		cq_disarm(cq);
		idtable_remove(cq_handles(), cq->verbs.handle);
	}
	sd_adapter_unlock(context->adapter);
	front_unlock();
}
