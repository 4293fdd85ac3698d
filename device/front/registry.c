// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One lock over all tables: they change when objects come and go, never when
 * data moves.
 */
#include "device/front/registry.h"

#include <assert.h>
#include <errno.h>

#include "device/front/limits.h"

enum { REGISTRY_HANDLE_BITS = 31 };

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t registry_once = PTHREAD_ONCE_INIT;

static LIST_HEAD(, soft_context)
	registry_contexts = LIST_HEAD_INITIALIZER(registry_contexts);
static LIST_HEAD(, soft_context)
	registry_abandoned = LIST_HEAD_INITIALIZER(registry_abandoned);
static LIST_HEAD(, soft_channel)
	registry_channels = LIST_HEAD_INITIALIZER(registry_channels);
static struct idtable_slot registry_pd_slots[LIMIT_max_pd];
static struct idtable registry_pds;
static struct idtable_slot registry_mr_slots[LIMIT_max_mr + LIMIT_max_mw];
static struct sd_mr_table registry_mrs;

static void registry_init(void)
{
	idtable_init(&registry_pds, registry_pd_slots, LIMIT_max_pd,
		     REGISTRY_HANDLE_BITS);
	mr_table_init(&registry_mrs, registry_mr_slots,
		      ARRAY_SIZE(registry_mr_slots));
}

void front_lock(void)
{
	pthread_once(&registry_once, registry_init);
	pthread_mutex_lock(&registry_lock);
}

void front_unlock(void)
{
	pthread_mutex_unlock(&registry_lock);
}

struct sd_mr_table *soft_mr_table(void)
{
	pthread_once(&registry_once, registry_init);
	return &registry_mrs;
}

static struct soft_context *registry_find_context(struct ibv_context *verbs)
{
	struct soft_context *c;

	LIST_FOREACH (c, &registry_contexts, link) {
		if (&c->verbs.context == verbs)
			return c;
	}
	return NULL;
}

/* A process that is forked gets no lock that a thread of its parent holds.  Of
 * handlers the last that was set is called first, so this one must come behind
 * the adapter's, whose lock is the inner one. */
static void registry_fork_watch(void)
{
	pthread_atfork(front_lock, front_unlock, front_unlock);
}

void registry_add_context(struct soft_context *context)
{
	static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

	pthread_once(&fork_once, registry_fork_watch);
	front_lock();
	LIST_INSERT_HEAD(&registry_contexts, context, link);
	front_unlock();
}

void registry_each_context(void (*call)(struct soft_context *context,
					void *arg),
			   void *arg)
{
	struct soft_context *c;

	front_lock();
	LIST_FOREACH (c, &registry_contexts, link)
		call(c, arg);
	front_unlock();
}

int registry_remove_context(struct ibv_context *verbs,
			    struct soft_context **context, uint32_t *left)
{
	struct soft_context *c;

	front_lock();
	c = registry_find_context(verbs);
	if (c) {
		LIST_REMOVE(c, link);
		*context = c;
		*left = c->users;
	}
	/* Something must know it for as long as its objects do. */
	if (c && c->users > 0)
		LIST_INSERT_HEAD(&registry_abandoned, c, link);
	front_unlock();
	return c ? 0 : -EINVAL;
}

int soft_context_get(struct ibv_context *verbs, struct soft_context **context)
{
	struct soft_context *c;

	front_lock();
	c = registry_find_context(verbs);
	if (c) {
		c->users++;
		*context = c;
	}
	front_unlock();
	return c ? 0 : -EINVAL;
}

void soft_context_put(struct soft_context *context)
{
	front_lock();
	assert(context->users > 0);
	context->users--;
	front_unlock();
}

int registry_add_pd(struct soft_pd *pd)
{
	int err;

	front_lock();
	err = registry_pds.used < limit_max_pd()
		      ? idtable_add(&registry_pds, pd, &pd->verbs.handle)
		      : -ENOSPC;
	if (!err)
		pd->context->users++;
	front_unlock();
	return err ? -ENOMEM : 0;
}

/* The handle must lead to the object, and the object must be where the
 * application says. */
static struct soft_pd *registry_find_pd(struct ibv_pd *verbs)
{
	struct soft_pd *pd;

	if (!verbs)
		return NULL;
	pd = idtable_find(&registry_pds, verbs->handle);
	return pd && &pd->verbs == verbs ? pd : NULL;
}

int registry_remove_pd(struct ibv_pd *verbs, struct soft_pd **out)
{
	struct soft_pd *pd;
	int err = 0;

	front_lock();
	pd = registry_find_pd(verbs);
	if (!pd) {
		err = -EINVAL;
	} else if (pd->users > 0) {
		err = -EBUSY;
	} else {
		idtable_remove(&registry_pds, verbs->handle);
		pd->context->users--;
		*out = pd;
	}
	front_unlock();
	return err;
}

int soft_pd_get(struct ibv_pd *verbs, struct soft_pd **out)
{
	struct soft_pd *pd;

	front_lock();
	pd = registry_find_pd(verbs);
	if (pd) {
		pd->users++;
		*out = pd;
	}
	front_unlock();
	return pd ? 0 : -EINVAL;
}

void soft_pd_put(struct soft_pd *pd)
{
	front_lock();
	assert(pd->users > 0);
	pd->users--;
	front_unlock();
}

void registry_add_channel(struct soft_channel *channel)
{
	front_lock();
	LIST_INSERT_HEAD(&registry_channels, channel, link);
	channel->context->users++;
	front_unlock();
}

static struct soft_channel *
registry_find_channel(struct ibv_comp_channel *verbs)
{
	struct soft_channel *channel;

	LIST_FOREACH (channel, &registry_channels, link) {
		if (&channel->verbs == verbs)
			return channel;
	}
	return NULL;
}

int registry_remove_channel(struct ibv_comp_channel *verbs,
			    struct soft_channel **out)
{
	struct soft_channel *channel;
	int err = 0;

	front_lock();
	channel = registry_find_channel(verbs);
	if (!channel) {
		err = -EINVAL;
	} else if (channel->verbs.refcnt > 0) {
		err = -EBUSY;
	} else {
		LIST_REMOVE(channel, link);
		channel->context->users--;
		*out = channel;
	}
	front_unlock();
	return err;
}

int soft_channel_get(struct ibv_comp_channel *verbs, struct soft_channel **out)
{
	struct soft_channel *channel;

	front_lock();
	channel = registry_find_channel(verbs);
	if (channel) {
		channel->verbs.refcnt++;
		*out = channel;
	}
	front_unlock();
	return channel ? 0 : -EINVAL;
}

void soft_channel_put(struct soft_channel *channel)
{
	front_lock();
	assert(channel->verbs.refcnt > 0);
	channel->verbs.refcnt--;
	front_unlock();
}

void registry_reap(struct soft_context *context)
{
	struct soft_channel *channel, *next;
	struct soft_pd *pd;
	uint32_t slot = 0;

	front_lock();
	while ((pd = idtable_next(&registry_pds, &slot))) {
		if (pd->context == context)
			idtable_remove(&registry_pds, pd->verbs.handle);
	}
	for (channel = LIST_FIRST(&registry_channels); channel;
	     channel = next) {
		next = LIST_NEXT(channel, link);
		if (channel->context == context)
			LIST_REMOVE(channel, link);
	}
	front_unlock();
}
