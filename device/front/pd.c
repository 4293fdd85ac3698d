// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection domains: nothing but an identity and a count of its users. */
#include <stdlib.h>

#include "device/front/registry.h"
#include "device/front/verbs.h"

int soft_alloc_pd(struct ibv_context *context, struct ibv_pd **out)
{
	struct soft_context *c;
	struct soft_pd *pd;
	int err;

	err = soft_context_get(context, &c);
	if (err)
		return err;
	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		err = -ENOMEM;
		goto out_context;
	}
	pd->context = c;
	pd->verbs.context = context;
	err = registry_add_pd(pd);
	if (err) {
		free(pd);
		goto out_context;
	}
	*out = &pd->verbs;
out_context:
	soft_context_put(c);
	return err;
}

int soft_dealloc_pd(struct ibv_pd *verbs)
{
	struct soft_pd *pd;
	int err;

	err = registry_remove_pd(verbs, &pd);
	if (err)
		return err;
	free(pd);
	return 0;
}
