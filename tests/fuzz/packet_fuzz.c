// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Whatever decodes as a packet encodes again to the same bytes, up to the pad
 * (written as zeroes) and the ICRC (not the codec's), and has a line of text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "device/wire/dissect.h"
#include "device/wire/icrc.h"
#include "device/wire/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct icrc_path path = { .dport = WIRE_UDP_PORT };
	uint8_t again[WIRE_PACKET_MAX];
	char text[WIRE_DISSECT_MAX];
	struct wire_packet p;
	size_t len;

	if (size > 65507)
		return 0;
	/* Right or wrong, it must be told without reading past the end. */
	fuzz_require(!icrc_check(&path, data, size) ||
		     icrc_check_any_id(&path, data, size));

	if (wire_packet_decode(data, size, &p) != WIRE_DECODE_OK)
		return 0;
	fuzz_require(p.payload_len + p.pad + WIRE_ICRC_BYTES <= size);
	fuzz_require(wire_packet_bytes(&p) == size);
	len = wire_packet_encode(&p, again);
	fuzz_require(len == size);
	fuzz_require(!memcmp(again, data, len - WIRE_ICRC_BYTES - p.pad));

	fuzz_require(wire_dissect(&p, text, sizeof(text)) == text);
	fuzz_require(strlen(text) < sizeof(text) - 1);
	wire_dissect(&p, text, size % sizeof(text));
	return 0;
}
