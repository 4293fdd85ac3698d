/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One RoCEv2 packet, from the BTH to the ICRC, as bytes and as a struct.
 *
 *	BTH 12 | extension headers | payload | pad 0..3 | ICRC 4
 *
 * The codec judges the shape of a packet only: known opcode, transport
 * version, lengths, pad.  Whether it makes sense to a queue pair is for the
 * engines to say.  The ICRC covers the IP and UDP headers too, so it is
 * computed by whoever knows them (icrc.h).  Layouts: docs/wire.md.
 */
#ifndef DEVICE_WIRE_PACKET_H
#define DEVICE_WIRE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/wire/opcode.h"
#include "device/wire/psn.h"

enum {
	WIRE_BTH_BYTES = 12,
	WIRE_ICRC_BYTES = 4,
	/* The longest headers of any opcode: BTH and AtomicETH. */
	WIRE_HEADERS_MAX = 12 + 28,
	WIRE_PAYLOAD_MAX = 4096,
	WIRE_PACKET_MAX = WIRE_HEADERS_MAX + WIRE_PAYLOAD_MAX + WIRE_ICRC_BYTES,
	WIRE_UDP_PORT = 4791,
	WIRE_PKEY_DEFAULT = 0xffff,
};

/* AETH syndromes (wire.md, section 6): the top three bits are the kind. */
enum wire_aeth_kind {
	WIRE_AETH_ACK = 0x00,
	WIRE_AETH_RNR_NAK = 0x20,
	WIRE_AETH_RESERVED = 0x40,
	WIRE_AETH_NAK = 0x60,
	WIRE_AETH_KIND_MASK = 0xe0,
	WIRE_AETH_VALUE_MASK = 0x1f,
	/* ACK without end-to-end credits. */
	WIRE_AETH_ACK_UNLIMITED = 0x1f,
};

enum wire_nak_code {
	WIRE_NAK_PSN_SEQUENCE = 0x60,
	WIRE_NAK_INVALID_REQUEST = 0x61,
	WIRE_NAK_REMOTE_ACCESS = 0x62,
	WIRE_NAK_REMOTE_OPERATION = 0x63,
	WIRE_NAK_INVALID_RD_REQUEST = 0x64,
};

struct wire_packet {
	enum wire_opcode opcode;
	bool solicited;
	bool mig_req;
	bool ack_request;
	uint8_t pad; /* bytes, 0..3 */
	uint16_t pkey;
	uint32_t dest_qpn; /* 24 bits */
	struct psn psn;
	/* Bits that a receiver ignores, kept so that a packet encodes again
	 * byte for byte: FECN, BECN and reserved 6 of byte 4; reserved 7 of
	 * byte 8. */
	uint8_t fecn_becn;
	uint8_t reserved7;

	/* Extension headers; valid as wire_opcode_headers(opcode) says.
	 * Host byte order, but for @imm: the four bytes as the application
	 * gave them. */
	struct {
		uint64_t va;
		uint32_t rkey;
		uint32_t length;
	} reth;
	struct {
		uint64_t va;
		uint32_t rkey;
		uint64_t swap_add;
		uint64_t compare;
	} atomic;
	struct {
		uint8_t syndrome;
		uint32_t msn; /* 24 bits */
	} aeth;
	uint64_t atomic_ack; /* the value read */
	uint32_t imm;	     /* network order, never swapped */
	uint32_t ieth_rkey;
	struct {
		uint32_t qkey;
		uint8_t reserved;
		uint32_t src_qpn; /* 24 bits */
	} deth;
	uint32_t feth;

	/* Without the pad.  Decoding: points into the caller's bytes.
	 * Encoding: copied, unless NULL (see wire_packet_encode). */
	const uint8_t *payload;
	uint32_t payload_len;
};

/* Why a packet is none; wire_decode_name() gives the word. */
enum wire_decode {
	WIRE_DECODE_OK,
	WIRE_DECODE_SHORT,   /* shorter than its headers, pad and ICRC */
	WIRE_DECODE_LONG,    /* more payload than path MTU or opcode allow */
	WIRE_DECODE_OPCODE,  /* unknown */
	WIRE_DECODE_VERSION, /* transport version not 0 */
	WIRE_DECODE_PAD,     /* pad does not round the payload up to 4 */
};

/*
 * Read @bytes[0..len) (BTH..ICRC).  *@packet is set only on WIRE_DECODE_OK.
 * The ICRC is not looked at.
 */
enum wire_decode wire_packet_decode(const uint8_t *bytes, size_t len,
				    struct wire_packet *packet) MUST_USE;
const char *wire_decode_name(enum wire_decode d);

/* Bytes from BTH to ICRC that @packet takes. */
size_t wire_packet_bytes(const struct wire_packet *packet);

/*
 * Write @packet to @bytes, which has room for wire_packet_bytes() of them; the
 * last four, the ICRC, are left alone.  @pad is computed from payload_len.
 * With @payload NULL and payload_len > 0 the payload's place is left alone
 * too: the caller fills wire_packet_payload_at() itself (one copy saved).
 * Returns the bytes, ICRC included.
 */
size_t wire_packet_encode(const struct wire_packet *packet, uint8_t *bytes);

/* Where in @bytes the payload of a packet with this opcode starts. */
static inline uint8_t *wire_packet_payload_at(uint8_t *bytes,
					      enum wire_opcode opcode)
{
	return bytes + wire_opcode_header_bytes(opcode);
}

#endif
