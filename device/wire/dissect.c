// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The one-line form of a packet: transport and opcode, the numbers that every
 * packet has, then one group for each extension header, then the payload.
 */
#include "device/wire/dissect.h"

#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* A line that fills up: what does not fit any more is left out. */
struct dissect_line {
	char *text;
	size_t size;
	size_t len;
};

PRINTF_LIKE(2, 3)
static void dissect_add(struct dissect_line *line, const char *format, ...)
{
	va_list args;
	int n;

	if (line->len + 1 >= line->size)
		return;
	va_start(args, format);
	n = vsnprintf(line->text + line->len, line->size - line->len, format,
		      args);
	va_end(args);
	if (n > 0)
		line->len += (size_t)n;
}

static const char *dissect_nak_name(uint8_t syndrome)
{
	switch (syndrome) {
	case WIRE_NAK_PSN_SEQUENCE:
		return "psn sequence error";
	case WIRE_NAK_INVALID_REQUEST:
		return "invalid request";
	case WIRE_NAK_REMOTE_ACCESS:
		return "remote access error";
	case WIRE_NAK_REMOTE_OPERATION:
		return "remote operational error";
	case WIRE_NAK_INVALID_RD_REQUEST:
		return "invalid rd request";
	}
	return NULL;
}

const char *wire_dissect_syndrome(uint8_t syndrome, char *text, size_t size)
{
	unsigned value = syndrome & WIRE_AETH_VALUE_MASK;
	const char *nak = dissect_nak_name(syndrome);

	if (nak)
		snprintf(text, size, "nak: %s", nak);
	else if (syndrome == WIRE_AETH_ACK_UNLIMITED)
		snprintf(text, size, "ack");
	else if ((syndrome & WIRE_AETH_KIND_MASK) == WIRE_AETH_ACK)
		snprintf(text, size, "ack: credit code %u", value);
	else if ((syndrome & WIRE_AETH_KIND_MASK) == WIRE_AETH_RNR_NAK)
		snprintf(text, size, "rnr nak: timer code %u", value);
	else if ((syndrome & WIRE_AETH_KIND_MASK) == WIRE_AETH_NAK)
		snprintf(text, size, "nak: unknown code %u", value);
	else
		snprintf(text, size, "reserved syndrome 0x%02x", syndrome);
	return text;
}

static void dissect_extensions(struct dissect_line *line,
			       const struct wire_packet *p)
{
	unsigned headers = wire_opcode_headers(p->opcode);
	char words[64];

	if (headers & WIRE_HAS_FETH)
		dissect_add(line, " feth 0x%08" PRIx32, p->feth);
	if (headers & WIRE_HAS_DETH)
		dissect_add(line, " from qp 0x%06" PRIx32 " qkey 0x%08" PRIx32,
			    p->deth.src_qpn, p->deth.qkey);
	if (headers & WIRE_HAS_RETH)
		dissect_add(line,
			    " va 0x%" PRIx64 " rkey 0x%08" PRIx32
			    " message %" PRIu32,
			    p->reth.va, p->reth.rkey, p->reth.length);
	if (headers & WIRE_HAS_ATOMIC_ETH)
		dissect_add(line,
			    " va 0x%" PRIx64 " rkey 0x%08" PRIx32
			    " swap/add 0x%" PRIx64 " compare 0x%" PRIx64,
			    p->atomic.va, p->atomic.rkey, p->atomic.swap_add,
			    p->atomic.compare);
	if (headers & WIRE_HAS_AETH)
		dissect_add(line, " msn %" PRIu32 " %s", p->aeth.msn,
			    wire_dissect_syndrome(p->aeth.syndrome, words,
						  sizeof(words)));
	if (headers & WIRE_HAS_ATOMIC_ACK_ETH)
		dissect_add(line, " was 0x%" PRIx64, p->atomic_ack);
	if (headers & WIRE_HAS_IMM)
		dissect_add(line, " imm 0x%08" PRIx32, be32toh(p->imm));
	if (headers & WIRE_HAS_IETH)
		dissect_add(line, " invalidate 0x%08" PRIx32, p->ieth_rkey);
}

const char *wire_dissect(const struct wire_packet *packet, char *text,
			 size_t size)
{
	const struct wire_packet *p = packet;
	struct dissect_line line = { text, size, 0 };
	const char *name = wire_opcode_name(p->opcode);
	int transport = name[2] == '_' ? 2 : 0;

	if (size)
		text[0] = '\0';
	/* RC_SEND_ONLY reads better as RC SEND_ONLY; CNP stays. */
	if (transport)
		dissect_add(&line, "%.*s %s", transport, name,
			    name + transport + 1);
	else
		dissect_add(&line, "%s", name);
	dissect_add(&line, " qp 0x%06" PRIx32 " psn 0x%06" PRIx32, p->dest_qpn,
		    p->psn.v);
	if (p->pkey != WIRE_PKEY_DEFAULT)
		dissect_add(&line, " pkey 0x%04x", p->pkey);
	if (p->solicited)
		dissect_add(&line, " solicited");
	if (p->mig_req)
		dissect_add(&line, " migreq");
	if (p->ack_request)
		dissect_add(&line, " ack");
	dissect_extensions(&line, p);
	if (p->pad)
		dissect_add(&line, " pad %u", p->pad);
	if (wire_opcode_has_payload(p->opcode))
		dissect_add(&line, " len %" PRIu32, p->payload_len);
	return text;
}
