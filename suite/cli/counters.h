/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters of a device, by name: the software device tells them by its
 * direct verbs, those of a process for that process; a kernel's device by
 * files, for all the time since it is there. */
#ifndef SUITE_CLI_COUNTERS_H
#define SUITE_CLI_COUNTERS_H

#include <stdint.h>

/* Called for each counter; @port is 0 where it is one of the whole device. */
typedef void counters_take(void *arg, unsigned port, const char *name,
			   uint64_t value);

/* Each counter of @device, which has @ports ports: what cannot be read is left
 * out. */
void counters_each(const char *device, unsigned ports, counters_take *take,
		   void *arg);

#endif
