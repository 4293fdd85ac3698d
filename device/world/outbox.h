/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets on their way out, back to back in one piece of memory, so that a
 * run of equal ones can leave in one system call.
 */
#ifndef DEVICE_WORLD_OUTBOX_H
#define DEVICE_WORLD_OUTBOX_H

#include "base/compiler.h"
#include "device/link/link.h"

enum {
	OUTBOX_PACKETS = 256,
	OUTBOX_BYTES = 512 * 1024,
};

struct outbox {
	uint8_t *bytes;
	size_t used;
	unsigned count; /* packets in it */
	unsigned taken; /* the first of them, already sent */
	struct link_packet packets[OUTBOX_PACKETS];
};

int outbox_init(struct outbox *o) MUST_USE;
void outbox_free(struct outbox *o);
/* Room for @len_max more bytes, or NULL. */
uint8_t *outbox_begin(struct outbox *o, size_t len_max);
/* What outbox_begin() gave is a packet of @len bytes; the caller fills in the
 * addresses of the one returned. */
struct link_packet *outbox_end(struct outbox *o, size_t len);
void outbox_clear(struct outbox *o);

#endif
