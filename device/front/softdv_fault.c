// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The direct verbs about fault rules: see the public header. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/front/objects.h"
#include "device/front/verbs.h"
#include "device/world/adapter.h"
#include "softrdma/softdv.h"

EXPORTED int softdv_fault_add(struct ibv_context *context, const char *rules,
			      char **error)
{
	char *wrong = NULL;
	struct soft_context *c;
	int err;

	if (error)
		*error = NULL;
	if (!rules)
		return verbs_int(-EINVAL);
	err = soft_context_get(context, &c);
	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	err = faults_add(sd_adapter_faults(c->adapter), rules, &wrong);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	if (error)
		*error = wrong;
	else
		free(wrong);
	return verbs_int(err);
}

EXPORTED int softdv_fault_clear(struct ibv_context *context)
{
	struct soft_context *c;
	int err = soft_context_get(context, &c);

	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	faults_clear(sd_adapter_faults(c->adapter));
	adapter_progress(c->adapter);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	return 0;
}

EXPORTED int softdv_fault_hits(struct ibv_context *context, unsigned int index,
			       uint64_t *fitted, uint64_t *acted, char *text,
			       size_t text_bytes)
{
	struct soft_context *c;
	const char *rule;
	int err;

	if (!fitted || !acted)
		return verbs_int(-EINVAL);
	err = soft_context_get(context, &c);
	if (err)
		return verbs_int(err);
	sd_adapter_lock(c->adapter);
	err = faults_rule(sd_adapter_faults(c->adapter), index, &rule, fitted,
			  acted);
	if (!err && text && text_bytes)
		snprintf(text, text_bytes, "%s", rule);
	sd_adapter_unlock(c->adapter);
	soft_context_put(c);
	return verbs_int(err);
}
