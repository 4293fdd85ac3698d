/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests that came while a READ was still being answered: they must not be
 * executed before its last packet has left, for they may change what it reads.
 * So they wait, as many as a peer can have on the way, in their order.
 */
#ifndef DEVICE_WORLD_HELD_H
#define DEVICE_WORLD_HELD_H

#include "device/world/adapter.h"

struct held_packet {
	STAILQ_ENTRY(held_packet) link;
	struct link_packet packet; /* its bytes are behind this struct */
};

/* Keep a copy; what finds no room is dropped, and the peer sends it again. */
void held_keep(struct world_qp *q, const struct link_packet *packet);
/* The oldest, to be freed by the caller; NULL: none. */
struct held_packet *held_take(struct world_qp *q);
void held_clear(struct world_qp *q);

#endif
