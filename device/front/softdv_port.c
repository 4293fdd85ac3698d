// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verb about the port: see the public header. */
#include <errno.h>

#include "device/front/event.h"
#include "device/front/objects.h"
#include "device/front/registry.h"
#include "device/front/verbs.h"
#include "device/mutant/mutant.h"
#include "device/world/adapter.h"
#include "softrdma/softdv.h"

static void port_tell(struct soft_context *context, void *type)
{
	event_post(context, *(enum ibv_event_type *)type, NULL);
}

EXPORTED int softdv_port_set(struct ibv_context *context, int up)
{
	enum ibv_event_type type = up ? IBV_EVENT_PORT_ACTIVE
				      : IBV_EVENT_PORT_ERR;
	struct soft_context *c;
	bool changed, told;
	int err = soft_context_get(context, &c);

	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	changed = sd_adapter_port_up(c->adapter) != (up != 0);
	if (changed)
		sd_adapter_port_set(c->adapter, up);
	told = changed &&
	       !(MUTANT_ON(R12) && !up && mutant_memory[MUTANT_R12]++ == 0 &&
		 mutant_note(MUTANT_R12));
	sd_adapter_unlock(c->adapter);
	if (told)
		registry_each_context(port_tell, &type);
	soft_context_put(c);
	return 0;
}
