// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Where counters are read: see the header. */
#include "suite/cli/counters.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "suite/end/direct.h"

static bool counters_soft_find(struct direct *soft)
{
	direct_find(soft);
	return soft->is_soft && soft->counter_name && soft->counter_read;
}

static struct ibv_context *counters_open(const char *device)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (struct ibv_device **d = list; d && *d && !context; d++) {
		if (strcmp(ibv_get_device_name(*d), device) == 0)
			context = ibv_open_device(*d);
	}
	if (list)
		ibv_free_device_list(list);
	return context;
}

static void counters_each_soft(const struct direct *soft,
			       struct ibv_context *context, counters_take *take,
			       void *arg)
{
	const char *name;
	uint64_t value;

	for (unsigned i = 0; soft->counter_name(i, &name) == 0; i++) {
		if (soft->counter_read(context, name, &value) == 0)
			take(arg, 0, name, value);
	}
}

static int counters_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void counters_each_file(const char *device, unsigned port,
			       const char *folder, counters_take *take,
			       void *arg)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int n;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/%s",
		 device, port, folder);
	n = scandir(path, &entries, counters_visible, alphasort);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(path);
		uint64_t value;
		FILE *file;

		snprintf(path + len, sizeof(path) - len, "/%s",
			 entries[i]->d_name);
		file = fopen(path, "re");
		path[len] = '\0';
		if (file && fscanf(file, "%" SCNu64, &value) == 1)
			take(arg, port, entries[i]->d_name, value);
		if (file)
			fclose(file);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

void counters_each(const char *device, unsigned ports, counters_take *take,
		   void *arg)
{
	struct ibv_context *context;
	struct direct soft;

	/* Only to open what is ours: a kernel's device needs it not. */
	context = counters_soft_find(&soft) ? counters_open(device) : NULL;
	if (context && soft.is_soft(context)) {
		counters_each_soft(&soft, context, take, arg);
	} else {
		for (unsigned port = 1; port <= ports; port++) {
			counters_each_file(device, port, "counters", take, arg);
			counters_each_file(device, port, "hw_counters", take,
					   arg);
		}
	}
	if (context)
		ibv_close_device(context);
}
