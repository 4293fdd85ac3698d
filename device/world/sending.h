/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets on their way out: which way each takes, its room there, and what the
 * fault rules make of it.
 *
 *	to ourselves	an outbox of this process, delivered in the next turn
 *	shared memory	made in the peer's ring, where it stays
 *	UDP		an outbox, so that many leave in one system call
 */
#ifndef DEVICE_WORLD_SENDING_H
#define DEVICE_WORLD_SENDING_H

#include "device/world/adapter_private.h"

/* Room for a packet of @q, as host_packet_begin() gives it. */
uint8_t *sending_begin(struct sd_adapter *a, struct world_qp *q,
		       const struct sd_datagram_path *path, size_t len_max);
/* What is there is a packet of @len bytes. */
void sending_end(struct sd_adapter *a, size_t len);
/* Packets that the fault rules have held back go when their time has come. */
void sending_run_faults(struct sd_adapter *a);
/* Hand what is in the outboxes to the links, as far as they take it. */
void sending_flush(struct sd_adapter *a);

/* Append to the capture and to what is kept of the last packets, where there
 * is one. */
void adapter_capture(struct sd_adapter *a, const struct link_packet *packets,
		     unsigned n);

#endif
