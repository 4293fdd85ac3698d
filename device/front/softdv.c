// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verbs: see the public header. */
#include "softrdma/softdv.h"

#include <string.h>

#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/world/adapter.h"

static const struct softdv_counter {
	const char *name;
	size_t offset; /* in struct sd_counters */
} softdv_counters[] = {
#define SD_COUNTER(name, text) { #name, offsetof(struct sd_counters, name) },
#include "device/engine/counters.def"
#undef SD_COUNTER
};

EXPORTED int softdv_is_soft(struct ibv_context *context)
{
	return soft_is_ours(context);
}

EXPORTED int softdv_counter_name(unsigned int index, const char **name)
{
	if (!name)
		return verbs_int(-EINVAL);
	if (index >= ARRAY_SIZE(softdv_counters))
		return verbs_int(-ENOENT);
	*name = softdv_counters[index].name;
	return 0;
}

static const struct softdv_counter *softdv_counter_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(softdv_counters); i++) {
		if (!strcmp(name, softdv_counters[i].name))
			return &softdv_counters[i];
	}
	return NULL;
}

EXPORTED int softdv_counter_read(struct ibv_context *context, const char *name,
				 uint64_t *value)
{
	const struct softdv_counter *counter;
	const struct sd_counters *all;
	struct soft_context *c;
	int err;

	if (!name || !value)
		return verbs_int(-EINVAL);
	err = soft_context_get(context, &c);
	if (err)
		return verbs_int(err);
	counter = softdv_counter_find(name);
	if (counter) {
		sd_adapter_lock(c->adapter);
		all = sd_adapter_counters(c->adapter);
		memcpy(value, (const char *)all + counter->offset,
		       sizeof(*value));
		sd_adapter_unlock(c->adapter);
	}
	soft_context_put(c);
	return counter ? 0 : verbs_int(-ENOENT);
}
