// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/world/outbox.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int outbox_init(struct outbox *o)
{
	o->bytes = malloc(OUTBOX_BYTES);
	if (!o->bytes)
		return -ENOMEM;
	outbox_clear(o);
	return 0;
}

void outbox_free(struct outbox *o)
{
	free(o->bytes);
	o->bytes = NULL;
}

uint8_t *outbox_begin(struct outbox *o, size_t len_max)
{
	if (o->count == OUTBOX_PACKETS || o->used + len_max > OUTBOX_BYTES)
		return NULL;
	return o->bytes + o->used;
}

struct link_packet *outbox_end(struct outbox *o, size_t len)
{
	struct link_packet *p;

	assert(o->count < OUTBOX_PACKETS && o->used + len <= OUTBOX_BYTES);
	p = &o->packets[o->count++];
	p->bytes = o->bytes + o->used;
	p->len = (uint32_t)len;
	o->used += len;
	return p;
}

void outbox_clear(struct outbox *o)
{
	o->used = 0;
	o->count = 0;
	o->taken = 0;
}
