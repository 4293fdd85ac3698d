// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opening and closing our device. */
#include "device/front/context.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "device/front/ah.h"
#include "device/front/cq.h"
#include "device/front/environment.h"
#include "device/front/event.h"
#include "device/front/limits.h"
#include "device/front/mr.h"
#include "device/front/qp.h"
#include "device/front/registry.h"
#include "device/front/softdv_mutant.h"
#include "device/front/srq.h"
#include "device/world/adapter.h"

/* The marker that says: a verbs_context is around this ibv_context. */
static void context_fill(struct soft_context *c)
{
	struct verbs_context *verbs = &c->verbs;

	verbs->sz = sizeof(*verbs);
	verbs->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	verbs->context.device = soft_device_get();
	verbs->context.cmd_fd = -1;
	verbs->context.async_fd = c->events.notifier.fd;
	verbs->context.num_comp_vectors = LIMIT_comp_vectors;
	pthread_mutex_init(&verbs->context.mutex, NULL);
	context_fill_ops(verbs);
}

int soft_open_device(struct ibv_context **out)
{
	struct sd_settings settings;
	struct soft_context *c;
	int err;

	err = environment_read(&settings);
	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	err = event_queue_init(&c->events);
	if (err)
		goto err_free;
	front_mutants_log(settings.mutants_log);
	err = sd_adapter_acquire(&settings, soft_mr_table(), &c->adapter);
	if (err)
		goto err_events;
	context_fill(c);
	registry_add_context(c);
	*out = &c->verbs.context;
	return 0;

err_events:
	event_queue_destroy(&c->events);
err_free:
	free(c);
	return err;
}

/* What was not destroyed goes as it would with the kernel's file: nothing
 * answers to it any more, and its handles name nothing.  Only its memory
 * stays, for the application still has the pointers. */
static void context_reap(struct soft_context *c)
{
	soft_qp_reap(c);
	soft_mr_revoke(c);
	soft_ah_reap(c);
	soft_srq_reap(c);
	soft_cq_reap(c);
	registry_reap(c);
}

int soft_close_device(struct ibv_context *context)
{
	struct soft_context *c;
	uint32_t left;
	int err;

	err = registry_remove_context(context, &c, &left);
	if (err)
		return err;
	if (left > 0) {
		context_reap(c);
		log_info("close: %u objects were not destroyed", left);
		return 0;
	}
	sd_adapter_release(c->adapter);
	event_queue_destroy(&c->events);
	pthread_mutex_destroy(&c->verbs.context.mutex);
	free(c);
	return 0;
}
