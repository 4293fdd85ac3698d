// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looking up the software device's direct verbs. */
#include "suite/end/direct.h"

#include <dlfcn.h>
#include <string.h>

void direct_find(struct direct *out)
{
	void *symbol;

#define DIRECT(name)                                   \
	symbol = dlsym(RTLD_DEFAULT, "softdv_" #name); \
	memcpy(&out->name, &symbol, sizeof(out->name));
#include "suite/end/direct.def"
#undef DIRECT
}

bool direct_is_soft(const struct direct *d, struct ibv_context *context)
{
	return d->is_soft && d->is_soft(context);
}
