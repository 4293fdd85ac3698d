// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Known names, and those that are nearly known: see the header. */
#include "device/front/environment_names.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "base/log.h"
#include "device/front/limits.h"

#define NAMES_PREFIX "SOFT_"

enum {
	NAMES_BYTES_MAX = 64,
	/* A name of which more is different is another name. */
	NAMES_NEAR = 4,
};

const char *environment_name(size_t index)
{
	static const char *const names[] = {
#define SOFT_SETTING(name, kind, preset, accepted, help) #name,
#include "device/front/environment.def"
#undef SOFT_SETTING
	};
	uint32_t most;

	if (index < ARRAY_SIZE(names))
		return names[index];
	return limits_variable(index - ARRAY_SIZE(names), &most);
}

static unsigned names_min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many characters must be put in, left out or changed; one row of the
 * table at a time. */
static unsigned names_distance(const char *a, const char *b)
{
	unsigned row[NAMES_BYTES_MAX + 1];
	size_t len = strlen(b);

	if (len > NAMES_BYTES_MAX)
		return len;
	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			unsigned changed = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			row[j] = names_min(changed,
					   names_min(row[j], row[j - 1]) + 1);
		}
	}
	return row[len];
}

const char *environment_nearest(const char *name)
{
	unsigned nearest = NAMES_NEAR + 1;
	const char *known, *found = NULL;

	for (size_t i = 0; (known = environment_name(i)); i++) {
		unsigned d = names_distance(name, known);

		if (d < nearest) {
			nearest = d;
			found = known;
		}
	}
	return found;
}

static bool names_known(const char *name)
{
	const char *known;

	for (size_t i = 0; (known = environment_name(i)); i++) {
		if (!strcmp(name, known))
			return true;
	}
	return false;
}

static void names_warn(const char *variable)
{
	size_t len = strcspn(variable, "=");
	char name[NAMES_BYTES_MAX + 1];
	const char *nearest;

	/* What is longer is nearly none of ours. */
	if (len > NAMES_BYTES_MAX)
		len = NAMES_BYTES_MAX;
	memcpy(name, variable, len);
	name[len] = '\0';
	if (names_known(name))
		return;
	nearest = environment_nearest(name);
	log_setup("softrdma", LOG_WARN);
	if (nearest)
		log_warn("%s: no such variable, it has no effect; there is %s",
			 name, nearest);
	else
		log_warn("%s: no such variable, it has no effect; see "
			 "libsoftrdma(7)",
			 name);
}

void environment_warn_unknown(char *const *environment)
{
	static atomic_flag warned = ATOMIC_FLAG_INIT;

	if (atomic_flag_test_and_set(&warned))
		return;
	for (; environment && *environment; environment++) {
		if (!strncmp(*environment, NAMES_PREFIX, strlen(NAMES_PREFIX)))
			names_warn(*environment);
	}
}
