// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The codec: headers between bytes and struct wire_packet.  Both directions
 * walk the extension headers in the order of headers.def, so what one writes
 * the other reads.
 *
 *	BTH  0 opcode | 1 SE M pad:2 version:4 | 2-3 P_Key
 *	     4 FECN BECN reserved:6 | 5-7 destination QPN
 *	     8 A reserved:7 | 9-11 PSN
 */
#include "device/wire/packet.h"

#include <assert.h>

#include "device/wire/bytes.h"

enum {
	BTH_SOLICITED = 0x80,
	BTH_MIG_REQ = 0x40,
	BTH_PAD_SHIFT = 4,
	BTH_PAD_MASK = 3,
	BTH_VERSION_MASK = 0x0f,
	BTH_ACK_REQUEST = 0x80,
	BTH_RESERVED7_MASK = 0x7f,
};

static_assert(WIRE_HEADERS_MAX % 4 == 0 && WIRE_PAYLOAD_MAX % 4 == 0,
	      "a packet is a whole number of words");

static unsigned packet_pad(uint32_t payload_len)
{
	return -payload_len & 3;
}

/* The bytes between headers and ICRC that are payload, once the pad is off;
 * or why the packet is none. */
static enum wire_decode packet_measure(const uint8_t *bytes, size_t len,
				       uint32_t *payload_len)
{
	enum wire_opcode op;
	unsigned pad;
	size_t fixed;

	if (len < WIRE_BTH_BYTES + WIRE_ICRC_BYTES)
		return WIRE_DECODE_SHORT;
	if (!wire_opcode_known(bytes[0]))
		return WIRE_DECODE_OPCODE;
	if (bytes[1] & BTH_VERSION_MASK)
		return WIRE_DECODE_VERSION;

	op = (enum wire_opcode)bytes[0];
	pad = bytes[1] >> BTH_PAD_SHIFT & BTH_PAD_MASK;
	fixed = wire_opcode_header_bytes(op) + pad + WIRE_ICRC_BYTES;
	if (len < fixed)
		return WIRE_DECODE_SHORT;
	if (len % 4)
		return WIRE_DECODE_PAD;
	if (len - fixed > (wire_opcode_has_payload(op) ? WIRE_PAYLOAD_MAX : 0))
		return WIRE_DECODE_LONG;
	*payload_len = (uint32_t)(len - fixed);
	return WIRE_DECODE_OK;
}

/* Extension headers, in the order of headers.def.  @at is behind the BTH. */
static void packet_get_extensions(const uint8_t *at, struct wire_packet *p)
{
	unsigned headers = wire_opcode_headers(p->opcode);

	if (headers & WIRE_HAS_FETH) {
		p->feth = bytes_get_be32(at);
		at += WIRE_BYTES_FETH;
	}
	if (headers & WIRE_HAS_DETH) {
		p->deth.qkey = bytes_get_be32(at);
		p->deth.reserved = at[4];
		p->deth.src_qpn = bytes_get_be24(at + 5);
		at += WIRE_BYTES_DETH;
	}
	if (headers & WIRE_HAS_RETH) {
		p->reth.va = bytes_get_be64(at);
		p->reth.rkey = bytes_get_be32(at + 8);
		p->reth.length = bytes_get_be32(at + 12);
		at += WIRE_BYTES_RETH;
	}
	if (headers & WIRE_HAS_ATOMIC_ETH) {
		p->atomic.va = bytes_get_be64(at);
		p->atomic.rkey = bytes_get_be32(at + 8);
		p->atomic.swap_add = bytes_get_be64(at + 12);
		p->atomic.compare = bytes_get_be64(at + 20);
		at += WIRE_BYTES_ATOMIC_ETH;
	}
	if (headers & WIRE_HAS_AETH) {
		p->aeth.syndrome = at[0];
		p->aeth.msn = bytes_get_be24(at + 1);
		at += WIRE_BYTES_AETH;
	}
	if (headers & WIRE_HAS_ATOMIC_ACK_ETH) {
		p->atomic_ack = bytes_get_be64(at);
		at += WIRE_BYTES_ATOMIC_ACK_ETH;
	}
	if (headers & WIRE_HAS_IMM) {
		memcpy(&p->imm, at, sizeof(p->imm));
		at += WIRE_BYTES_IMM;
	}
	if (headers & WIRE_HAS_IETH)
		p->ieth_rkey = bytes_get_be32(at);
}

static void packet_put_extensions(uint8_t *at, const struct wire_packet *p)
{
	unsigned headers = wire_opcode_headers(p->opcode);

	if (headers & WIRE_HAS_FETH) {
		bytes_put_be32(at, p->feth);
		at += WIRE_BYTES_FETH;
	}
	if (headers & WIRE_HAS_DETH) {
		bytes_put_be32(at, p->deth.qkey);
		at[4] = p->deth.reserved;
		bytes_put_be24(at + 5, p->deth.src_qpn);
		at += WIRE_BYTES_DETH;
	}
	if (headers & WIRE_HAS_RETH) {
		bytes_put_be64(at, p->reth.va);
		bytes_put_be32(at + 8, p->reth.rkey);
		bytes_put_be32(at + 12, p->reth.length);
		at += WIRE_BYTES_RETH;
	}
	if (headers & WIRE_HAS_ATOMIC_ETH) {
		bytes_put_be64(at, p->atomic.va);
		bytes_put_be32(at + 8, p->atomic.rkey);
		bytes_put_be64(at + 12, p->atomic.swap_add);
		bytes_put_be64(at + 20, p->atomic.compare);
		at += WIRE_BYTES_ATOMIC_ETH;
	}
	if (headers & WIRE_HAS_AETH) {
		at[0] = p->aeth.syndrome;
		bytes_put_be24(at + 1, p->aeth.msn);
		at += WIRE_BYTES_AETH;
	}
	if (headers & WIRE_HAS_ATOMIC_ACK_ETH) {
		bytes_put_be64(at, p->atomic_ack);
		at += WIRE_BYTES_ATOMIC_ACK_ETH;
	}
	if (headers & WIRE_HAS_IMM) {
		memcpy(at, &p->imm, sizeof(p->imm));
		at += WIRE_BYTES_IMM;
	}
	if (headers & WIRE_HAS_IETH)
		bytes_put_be32(at, p->ieth_rkey);
}

/* Headers are looked at in a copy: in shared memory the sender could change
 * them between two looks. */
enum wire_decode wire_packet_decode(const uint8_t *packet_bytes, size_t len,
				    struct wire_packet *packet)
{
	struct wire_packet *p = packet;
	uint8_t bytes[WIRE_HEADERS_MAX];
	uint32_t payload_len;
	enum wire_decode d;

	if (likely(len >= sizeof(bytes)))
		memcpy(bytes, packet_bytes, sizeof(bytes));
	else
		memcpy(bytes, packet_bytes, len);
	d = packet_measure(bytes, len, &payload_len);
	if (d != WIRE_DECODE_OK)
		return d;

	*p = (struct wire_packet){
		.opcode = (enum wire_opcode)bytes[0],
		.solicited = bytes[1] & BTH_SOLICITED,
		.mig_req = bytes[1] & BTH_MIG_REQ,
		.pad = bytes[1] >> BTH_PAD_SHIFT & BTH_PAD_MASK,
		.pkey = bytes_get_be16(bytes + 2),
		.fecn_becn = bytes[4],
		.dest_qpn = bytes_get_be24(bytes + 5),
		.ack_request = bytes[8] & BTH_ACK_REQUEST,
		.reserved7 = bytes[8] & BTH_RESERVED7_MASK,
		.psn = psn_make(bytes_get_be24(bytes + 9)),
		.payload = packet_bytes + wire_opcode_header_bytes(bytes[0]),
		.payload_len = payload_len,
	};
	packet_get_extensions(bytes + WIRE_BTH_BYTES, p);
	return WIRE_DECODE_OK;
}

const char *wire_decode_name(enum wire_decode d)
{
	switch (d) {
	case WIRE_DECODE_OK:
		return "ok";
	case WIRE_DECODE_SHORT:
		return "too short";
	case WIRE_DECODE_LONG:
		return "too long";
	case WIRE_DECODE_OPCODE:
		return "unknown opcode";
	case WIRE_DECODE_VERSION:
		return "transport version not 0";
	case WIRE_DECODE_PAD:
		return "not padded to 4 bytes";
	}
	return "unknown";
}

size_t wire_packet_bytes(const struct wire_packet *packet)
{
	return wire_opcode_header_bytes(packet->opcode) + packet->payload_len +
	       packet_pad(packet->payload_len) + WIRE_ICRC_BYTES;
}

size_t wire_packet_encode(const struct wire_packet *packet, uint8_t *bytes)
{
	const struct wire_packet *p = packet;
	unsigned pad = packet_pad(p->payload_len);
	uint8_t *at = wire_packet_payload_at(bytes, p->opcode);

	assert(wire_opcode_known(p->opcode));
	assert(p->payload_len <= WIRE_PAYLOAD_MAX);
	assert(!p->payload_len || wire_opcode_has_payload(p->opcode));

	bytes[0] = (uint8_t)p->opcode;
	bytes[1] = (uint8_t)((p->solicited ? BTH_SOLICITED : 0) |
			     (p->mig_req ? BTH_MIG_REQ : 0) |
			     pad << BTH_PAD_SHIFT);
	bytes_put_be16(bytes + 2, p->pkey);
	bytes[4] = p->fecn_becn;
	bytes_put_be24(bytes + 5, p->dest_qpn);
	bytes[8] = (uint8_t)((p->ack_request ? BTH_ACK_REQUEST : 0) |
			     (p->reserved7 & BTH_RESERVED7_MASK));
	bytes_put_be24(bytes + 9, p->psn.v);
	packet_put_extensions(bytes + WIRE_BTH_BYTES, p);

	if (p->payload && p->payload_len)
		memcpy(at, p->payload, p->payload_len);
	at += p->payload_len;
	memset(at, 0, pad);
	return (size_t)(at + pad + WIRE_ICRC_BYTES - bytes);
}
