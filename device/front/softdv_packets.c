// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verbs about the packets that went and came last: see the public
 * header. */
#include <errno.h>
#include <stddef.h>

#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/world/adapter.h"
#include "softrdma/softdv.h"

EXPORTED int softdv_packets_keep(struct ibv_context *context,
				 unsigned int count)
{
	struct soft_context *c;
	int err = soft_context_get(context, &c);

	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	err = sd_adapter_keep(c->adapter, count);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	return verbs_int(err);
}

EXPORTED int softdv_packets_show(struct ibv_context *context,
				 void (*line)(void *arg, uint64_t when_ns,
					      const char *text),
				 void *arg)
{
	struct soft_context *c;
	int err;

	if (!line)
		return verbs_int(-EINVAL);
	err = soft_context_get(context, &c);
	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	sd_adapter_show(c->adapter, line, arg);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	return 0;
}
