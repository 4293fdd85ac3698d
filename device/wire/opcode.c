// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The opcode table, spread from opcodes.def over all 256 values, so that every
 * question about an opcode is one load.
 */
#include "device/wire/opcode.h"

#include <assert.h>
#include <stddef.h>

/*
 * The header words of opcodes.def: the bit of the header and, from bit 8 up,
 * its bytes.  Their sum so is both the set and its length.
 */
enum {
#define WIRE_HEADER(bit, name, bytes) name = WIRE_HAS_##name + ((bytes) << 8),
#include "device/wire/headers.def"
#undef WIRE_HEADER
	HEADER_SET_MASK = 0xff,
	HEADER_BYTES_SHIFT = 8,
	BTH_BYTES = 12,
};

#define WIRE_HEADER(bit, name, bytes) \
	static_assert((bit) < HEADER_BYTES_SHIFT, "header " #name);
#include "device/wire/headers.def"
#undef WIRE_HEADER

/* The property words of opcodes.def. */
enum {
	ONLY = WIRE_ONLY,
	FIRST = WIRE_FIRST,
	MIDDLE = WIRE_MIDDLE,
	LAST = WIRE_LAST,
	PLACE_MASK = 3,
	REQUEST = 1 << 2,
	PAYLOAD = 1 << 3,
	TAKES_RECV = 1 << 4,
	IS_SEND = 1 << 5,
	IS_WRITE = 1 << 6,
	IS_READ_REQUEST = 1 << 7,
	IS_READ_RESPONSE = 1 << 8,
	IS_ATOMIC = 1 << 9,
	/* What a kind implies. */
	SEND = IS_SEND | REQUEST | PAYLOAD,
	WRITE = IS_WRITE | REQUEST | PAYLOAD,
	READ_REQUEST = IS_READ_REQUEST | REQUEST,
	READ_RESPONSE = IS_READ_RESPONSE | PAYLOAD,
	ATOMIC = IS_ATOMIC | REQUEST,
	OTHER_REQUEST = REQUEST,
};

static const struct opcode_row {
	const char *name; /* NULL: no such opcode */
	uint16_t headers; /* a sum of header words */
	uint16_t properties;
} opcode_rows[256] = {
#define WIRE_OPCODE(value, name, headers, properties) \
	[value] = { #name, headers, properties },
#include "device/wire/opcodes.def"
#undef WIRE_OPCODE
};

/* Any byte may stand in the opcode's place: the table has a row for each. */
static inline const struct opcode_row *opcode_row(unsigned value)
{
	return &opcode_rows[value & 0xff];
}

static inline bool opcode_has(enum wire_opcode op, unsigned property)
{
	return (opcode_row(op)->properties & property) != 0;
}

bool wire_opcode_known(unsigned value)
{
	return value < 256 && opcode_row(value)->name;
}

const char *wire_opcode_name(enum wire_opcode op)
{
	const char *name = opcode_row(op)->name;

	return name ? name : "unknown";
}

enum wire_transport wire_opcode_transport(enum wire_opcode op)
{
	unsigned top = ((unsigned)op & 0xff) >> 5;

	static_assert(WIRE_RC == 0 && WIRE_UC == 1 && WIRE_RD == 2 &&
			      WIRE_UD == 3,
		      "transports are numbered as on the wire");
	return top < WIRE_OTHER ? (enum wire_transport)top : WIRE_OTHER;
}

unsigned wire_opcode_headers(enum wire_opcode op)
{
	return opcode_row(op)->headers & HEADER_SET_MASK;
}

unsigned wire_opcode_header_bytes(enum wire_opcode op)
{
	return BTH_BYTES + (opcode_row(op)->headers >> HEADER_BYTES_SHIFT);
}

enum wire_place wire_opcode_place(enum wire_opcode op)
{
	return (enum wire_place)(opcode_row(op)->properties & PLACE_MASK);
}

bool wire_opcode_is_request(enum wire_opcode op)
{
	return opcode_has(op, REQUEST);
}

bool wire_opcode_is_send(enum wire_opcode op)
{
	return opcode_has(op, IS_SEND);
}

bool wire_opcode_is_write(enum wire_opcode op)
{
	return opcode_has(op, IS_WRITE);
}

bool wire_opcode_is_read_request(enum wire_opcode op)
{
	return opcode_has(op, IS_READ_REQUEST);
}

bool wire_opcode_is_read_response(enum wire_opcode op)
{
	return opcode_has(op, IS_READ_RESPONSE);
}

bool wire_opcode_is_atomic(enum wire_opcode op)
{
	return opcode_has(op, IS_ATOMIC);
}

bool wire_opcode_has_payload(enum wire_opcode op)
{
	return opcode_has(op, PAYLOAD);
}

bool wire_opcode_takes_recv(enum wire_opcode op)
{
	return opcode_has(op, TAKES_RECV);
}
