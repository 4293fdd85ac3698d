/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A packet in one line for people:
 *
 *	RC SEND_ONLY qp 0x000011 psn 0x000100 ack pad 3 len 13
 *	RC ACK qp 0x000012 psn 0x000101 msn 1 nak: remote access error
 */
#ifndef DEVICE_WIRE_DISSECT_H
#define DEVICE_WIRE_DISSECT_H

#include <stddef.h>
#include <stdint.h>

#include "device/wire/packet.h"

/* Room for any line, NUL included. */
enum { WIRE_DISSECT_MAX = 256 };

/*
 * Write the line of @packet, without a newline, cut to @size bytes if need be;
 * always a string when @size is not 0.  Returns @text.
 */
const char *wire_dissect(const struct wire_packet *packet, char *text,
			 size_t size);

/* An AETH syndrome in words: "ack", "ack: credit code 5", "rnr nak: timer code 12",
 * "nak: psn sequence error". */
const char *wire_dissect_syndrome(uint8_t syndrome, char *text, size_t size);

#endif
