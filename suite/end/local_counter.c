// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counters of a device.  The software device tells them by a function of its
 * own, found at run time when it is there at all; a kernel's device by files.
 * Its port, too, only the software device lets anybody take down.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "suite/end/direct.h"
#include "suite/end/local.h"

static int local_counter_file(struct end_host *h, const char *name,
			      uint64_t *value)
{
	char path[256];
	FILE *file;
	int got;

	if (strchr(name, '/'))
		return -EINVAL;
	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/%u/hw_counters/%s",
		 ibv_get_device_name(h->context->device), h->port, name);
	file = fopen(path, "re");
	if (!file)
		return -ENOTSUP;
	got = fscanf(file, "%" SCNu64, value);
	fclose(file);
	return got == 1 ? 0 : -ENOTSUP;
}

int local_counter(struct end_host *h, const struct end_counter *in,
		  struct end_count *out)
{
	struct direct direct;

	direct_find(&direct);
	out->cached = false;
	if (direct.counter_read &&
	    !direct.counter_read(h->context, in->name, &out->count))
		return 0;
	out->cached = true;
	return local_counter_file(h, in->name, &out->count);
}

int local_set_port(struct end_host *h, const struct end_up *in,
		   struct end_result *out)
{
	struct direct direct;

	direct_find(&direct);
	if (!direct.port_set || !direct_is_soft(&direct, h->context))
		return -ENOTSUP;
	out->err = -direct.port_set(h->context, in->up);
	return 0;
}

int local_usage(struct end_host *h, const struct end_nothing *in,
		struct end_usage *out)
{
	out->descriptors = process_descriptors(getpid());
	out->threads = process_threads(getpid());
	return process_resident(getpid(), &out->resident_bytes);
}
