// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/world/held.h"

#include <stdlib.h>
#include <string.h>

enum { HELD_MAX = 256 };

void held_keep(struct world_qp *q, const struct link_packet *packet)
{
	struct held_packet *h;

	if (q->held_count == HELD_MAX)
		return;
	h = malloc(sizeof(*h) + packet->len);
	if (!h)
		return;
	h->packet = *packet;
	h->packet.bytes = (uint8_t *)(h + 1);
	memcpy(h->packet.bytes, packet->bytes, packet->len);
	if (q->held_count++ == 0)
		STAILQ_INIT(&q->held);
	STAILQ_INSERT_TAIL(&q->held, h, link);
}

struct held_packet *held_take(struct world_qp *q)
{
	struct held_packet *h;

	if (q->held_count == 0)
		return NULL;
	h = STAILQ_FIRST(&q->held);
	STAILQ_REMOVE_HEAD(&q->held, link);
	q->held_count--;
	return h;
}

void held_clear(struct world_qp *q)
{
	struct held_packet *h;

	while ((h = held_take(q)))
		free(h);
}
