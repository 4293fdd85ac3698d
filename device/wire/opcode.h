/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Opcodes of the base transport header and what each carries.  One row of
 * opcodes.def is one opcode; enum, name, headers and properties come from it.
 * Ask by accessor: an opcode is never compared with a mask.
 */
#ifndef DEVICE_WIRE_OPCODE_H
#define DEVICE_WIRE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum wire_opcode {
#define WIRE_OPCODE(value, name, headers, properties) WIRE_##name = (value),
#include "device/wire/opcodes.def"
#undef WIRE_OPCODE
};

/* Extension headers, in wire order (headers.def). */
enum wire_header {
#define WIRE_HEADER(bit, name, bytes) WIRE_HAS_##name = 1u << (bit),
#include "device/wire/headers.def"
#undef WIRE_HEADER
};

enum {
#define WIRE_HEADER(bit, name, bytes) WIRE_BYTES_##name = (bytes),
#include "device/wire/headers.def"
#undef WIRE_HEADER
};

enum wire_transport { WIRE_RC, WIRE_UC, WIRE_RD, WIRE_UD, WIRE_OTHER };

/* Where a packet stands in its message. */
enum wire_place { WIRE_ONLY, WIRE_FIRST, WIRE_MIDDLE, WIRE_LAST };

bool wire_opcode_known(unsigned value);
const char *wire_opcode_name(enum wire_opcode op);
enum wire_transport wire_opcode_transport(enum wire_opcode op);
/* enum wire_header bits. */
unsigned wire_opcode_headers(enum wire_opcode op);
/* BTH and extension headers. */
unsigned wire_opcode_header_bytes(enum wire_opcode op);
enum wire_place wire_opcode_place(enum wire_opcode op);

bool wire_opcode_is_request(enum wire_opcode op); /* to the responder */
bool wire_opcode_is_send(enum wire_opcode op);
bool wire_opcode_is_write(enum wire_opcode op);
bool wire_opcode_is_read_request(enum wire_opcode op);
bool wire_opcode_is_read_response(enum wire_opcode op);
bool wire_opcode_is_atomic(enum wire_opcode op); /* the request */
/* It may carry a payload at all. */
bool wire_opcode_has_payload(enum wire_opcode op);
/* It takes a receive WQE when it starts (SEND FIRST, ONLY) or ends (WRITE
 * with immediate). */
bool wire_opcode_takes_recv(enum wire_opcode op);

#endif
