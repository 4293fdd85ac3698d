/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The packets that went and came last, kept by their headers for whoever asks
 * what happened on the wire.  Nothing is kept unless somebody has asked.
 */
#ifndef DEVICE_WORLD_RECENT_H
#define DEVICE_WORLD_RECENT_H

#include <stdint.h>

#include "base/compiler.h"
#include "device/link/link.h"

enum { RECENT_MAX = 1024 };

struct recent;

/* For the last @count packets, 1..RECENT_MAX; NULL: out of memory. */
struct recent *recent_create(uint32_t count) MUST_USE;
void recent_destroy(struct recent *r);
void recent_put(struct recent *r, const struct link_packet *p, uint64_t now_ns);
/* Oldest first; @line gets the time on the monotonic clock, and in words from
 * whom, to whom and what. */
void recent_show(const struct recent *r,
		 void (*line)(void *arg, uint64_t when_ns, const char *text),
		 void *arg);

#endif
