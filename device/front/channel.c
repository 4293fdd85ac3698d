// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Completion channels: see the header. */
#include "device/front/channel.h"

#include <stdlib.h>

#include "device/front/registry.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"

int soft_create_comp_channel(struct ibv_context *context,
			     struct ibv_comp_channel **out)
{
	struct soft_channel *channel;
	struct soft_context *c;
	int err;

	err = soft_context_get(context, &c);
	if (err)
		return err;
	channel = calloc(1, sizeof(*channel));
	if (!channel) {
		err = -ENOMEM;
		goto out_context;
	}
	err = notifier_open(&channel->notifier);
	if (err) {
		free(channel);
		goto out_context;
	}
	channel->context = c;
	channel->verbs.context = context;
	channel->verbs.fd = channel->notifier.fd;
	pthread_mutex_init(&channel->lock, NULL);
	pthread_cond_init(&channel->acked, NULL);
	TAILQ_INIT(&channel->pending);
	registry_add_channel(channel);
	*out = &channel->verbs;
out_context:
	soft_context_put(c);
	return err;
}

int soft_destroy_comp_channel(struct ibv_comp_channel *verbs)
{
	struct soft_channel *channel;
	int err;

	err = registry_remove_channel(verbs, &channel);
	if (err)
		return err;
	notifier_close(&channel->notifier);
	pthread_cond_destroy(&channel->acked);
	pthread_mutex_destroy(&channel->lock);
	free(channel);
	return 0;
}

/* D92: the newest entry is that of a READ or atomic. */
static MUTANT_COLD bool channel_tells_fetch(const struct soft_cq *cq)
{
	enum ibv_wc_opcode op;

	if (cq->ring.count == 0)
		return false;
	op = cq->entries[ring_at(&cq->ring, cq->ring.count - 1)].wc.opcode;
	return op == IBV_WC_RDMA_READ || op == IBV_WC_FETCH_ADD ||
	       op == IBV_WC_COMP_SWAP;
}

void channel_post(struct soft_channel *channel, struct soft_cq *cq)
{
	pthread_mutex_lock(&channel->lock);
	if (MUTANT_ACTS(D86, cq->comp_queued > 0) ||
	    MUTANT_ACTS(R16, cq->vector > 0) ||
	    MUTANT_ACTS(D92, channel_tells_fetch(cq)))
		goto unlock;
	if (TAILQ_EMPTY(&channel->pending))
		notifier_raise(&channel->notifier);
	if (cq->comp_queued++ == 0)
		TAILQ_INSERT_TAIL(&channel->pending, cq, pending);
unlock:
	pthread_mutex_unlock(&channel->lock);
}

/* The oldest pending CQ gives one event and goes behind the others. */
static struct soft_cq *channel_take(struct soft_channel *channel)
{
	struct soft_cq *cq = TAILQ_FIRST(&channel->pending);

	if (!cq)
		return NULL;
	TAILQ_REMOVE(&channel->pending, cq, pending);
	cq->comp_queued--;
	cq->comp.fetched++;
	if (cq->comp_queued > 0)
		TAILQ_INSERT_TAIL(&channel->pending, cq, pending);
	if (TAILQ_EMPTY(&channel->pending) || MUTANT_ACTS(R17, true))
		notifier_clear(&channel->notifier);
	return cq;
}

int soft_get_cq_event(struct ibv_comp_channel *verbs, struct ibv_cq **out,
		      void **cq_context)
{
	struct soft_channel *channel = soft_channel_cast(verbs);
	bool reading_taken = false;

	for (;;) {
		struct soft_cq *cq;
		int err;

		pthread_mutex_lock(&channel->lock);
		cq = channel_take(channel);
		if (cq) {
			*out = (struct ibv_cq *)&cq->verbs;
			*cq_context = cq->verbs.cq_context;
		}
		if (reading_taken && !TAILQ_EMPTY(&channel->pending))
			notifier_raise(&channel->notifier);
		pthread_mutex_unlock(&channel->lock);
		if (cq)
			return 0;
		err = notifier_wait(verbs->fd);
		if (err)
			return err;
		reading_taken = true;
	}
}

void soft_ack_cq_events(struct ibv_cq *verbs, unsigned int count)
{
	struct soft_cq *cq =
		container_of((struct ibv_cq_ex *)verbs, struct soft_cq, verbs);
	struct soft_channel *channel = cq->channel;
	uint32_t owed;

	if (!channel)
		return;
	pthread_mutex_lock(&channel->lock);
	owed = cq->comp.fetched - cq->comp.acked;
	/* More acks than events are the application's fault; they must not
	 * make a destroy wait for ever. */
	cq->comp.acked += count < owed ? count : owed;
	pthread_cond_broadcast(&channel->acked);
	pthread_mutex_unlock(&channel->lock);
}

/* D87: the events of its neighbours go with those of @cq. */
static MUTANT_COLD void channel_purge(struct soft_channel *channel,
				      const struct soft_cq *cq)
{
	struct soft_cq *other, *next;

	for (other = TAILQ_FIRST(&channel->pending); other; other = next) {
		next = TAILQ_NEXT(other, pending);
		if (!MUTANT_ACTS(D87, other != cq))
			continue;
		TAILQ_REMOVE(&channel->pending, other, pending);
		other->comp_queued = 0;
	}
	if (TAILQ_EMPTY(&channel->pending))
		notifier_clear(&channel->notifier);
}

void channel_settle(struct soft_cq *cq)
{
	struct soft_channel *channel = cq->channel;

	if (!channel)
		return;
	pthread_mutex_lock(&channel->lock);
	if (MUTANT_ON(D87))
		channel_purge(channel, cq);
	if (cq->comp_queued > 0) {
		TAILQ_REMOVE(&channel->pending, cq, pending);
		cq->comp_queued = 0;
		if (TAILQ_EMPTY(&channel->pending))
			notifier_clear(&channel->notifier);
	}
	while (cq->comp.fetched != cq->comp.acked)
		pthread_cond_wait(&channel->acked, &channel->lock);
	pthread_mutex_unlock(&channel->lock);
}
