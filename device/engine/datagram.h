/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receiving on a UD queue pair: one packet, one message, no answer ever. */
#ifndef DEVICE_ENGINE_DATAGRAM_H
#define DEVICE_ENGINE_DATAGRAM_H

#include "device/engine/qp.h"

/* What stands before the payload in every UD receive buffer. */
enum { DATAGRAM_HEADER_BYTES = 40 };

/* @header: the packet's IP header as receivers see it, 40 bytes. */
void datagram_receive(struct sd_qp *qp, const struct wire_packet *packet,
		      const uint8_t *header);

#endif
