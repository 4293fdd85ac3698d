// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters of the device: the software device tells them by a function of its
 * own, a kernel's device by files.  What a device does not count is 0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "suite/bench/traffic_inner.h"
#include "suite/end/direct.h"

enum counter_kind { COUNTER_RNR, COUNTER_RNR_SENT, COUNTER_RETRY, COUNTERS };

static const struct {
	enum counter_kind kind;
	const char *name;
} counter_rows[] = {
#define TRAFFIC_COUNTER(kind, name) { COUNTER_##kind, #name },
#include "suite/bench/traffic_counters.def"
#undef TRAFFIC_COUNTER
};

static uint64_t counter_file(const char *device, uint32_t port,
			     const char *name)
{
	char path[256];
	uint64_t value;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/%u/hw_counters/%s", device,
		 port, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

void traffic_counters_read(struct ibv_context *context, uint32_t port,
			   uint64_t *rnr, uint64_t *rnr_sent, uint64_t *retries)
{
	uint64_t sums[COUNTERS] = { 0 };
	struct direct direct;
	bool soft;

	direct_find(&direct);
	soft = direct.counter_read && direct_is_soft(&direct, context);
	for (size_t i = 0; i < ARRAY_SIZE(counter_rows); i++) {
		const char *name = counter_rows[i].name;
		uint64_t value = 0;

		if (!soft)
			value = counter_file(
				ibv_get_device_name(context->device), port,
				name);
		else if (direct.counter_read(context, name, &value))
			value = 0;
		sums[counter_rows[i].kind] += value;
	}
	*rnr = sums[COUNTER_RNR];
	*rnr_sent = sums[COUNTER_RNR_SENT];
	*retries = sums[COUNTER_RETRY];
}
