// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits as the user has left them: see the header. */
#include "device/front/limits.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SOFT_FACT(name, value, text)

enum {
#define SOFT_LIMIT(name, value, variable, text) LIMITS_##name,
#include "device/front/limits.def"
#undef SOFT_LIMIT
	LIMITS_COUNT
};

static const struct limits_row {
	const char *variable;
	uint32_t most;
} limits_rows[] = {
#define SOFT_LIMIT(name, value, variable, text) { #variable, value },
#include "device/front/limits.def"
#undef SOFT_LIMIT
};

/* Set whenever a context is opened; read by anybody. */
static _Atomic uint32_t limits_now[] = {
#define SOFT_LIMIT(name, value, variable, text) value,
#include "device/front/limits.def"
#undef SOFT_LIMIT
};

#define SOFT_LIMIT(name, value, variable, text)                         \
	uint32_t limit_##name(void)                                     \
	{                                                               \
		return atomic_load_explicit(&limits_now[LIMITS_##name], \
					    memory_order_relaxed);      \
	}
#include "device/front/limits.def"
#undef SOFT_LIMIT

const char *limits_variable(size_t index, uint32_t *most)
{
	if (index >= LIMITS_COUNT)
		return NULL;
	*most = limits_rows[index].most;
	return limits_rows[index].variable;
}

int limits_set(size_t index, const char *text)
{
	uint32_t most = limits_rows[index].most;
	unsigned long long value = most;
	char *end;

	if (text && *text) {
		/* strtoull() would take a sign and blanks. */
		if (*text < '0' || *text > '9')
			return -EINVAL;
		errno = 0;
		value = strtoull(text, &end, 0);
		if (errno || *end || value < 1 || value > most)
			return -EINVAL;
	}
	atomic_store_explicit(&limits_now[index], (uint32_t)value,
			      memory_order_relaxed);
	return 0;
}
