// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What all links share: the path that an ICRC covers. */
#include "device/link/link.h"

#include <string.h>

#include "device/link/path.h"
#include "device/wire/bytes.h"
#include "device/wire/packet.h"

enum {
	LINK_IPV4_BYTES = 20,
	LINK_UDP_BYTES = 8,
	LINK_PROTOCOL_UDP = 17,
	LINK_HOP_LIMIT = 64,
};

const uint8_t path_mapped_prefix[12] = { [10] = 0xff, [11] = 0xff };

bool path_is_ipv4(const struct link_address *a)
{
	return !memcmp(a->gid, path_mapped_prefix, sizeof(path_mapped_prefix));
}

struct icrc_path path_of(const struct link_packet *packet)
{
	struct icrc_path path = {
		.ipv6 = !path_is_ipv4(&packet->to),
		.sport = packet->sport,
		.dport = WIRE_UDP_PORT,
		.dont_fragment = true,
	};
	unsigned skip = path.ipv6 ? 0 : sizeof(path_mapped_prefix);

	memcpy(path.saddr, packet->from.gid + skip, 16 - skip);
	memcpy(path.daddr, packet->to.gid + skip, 16 - skip);
	return path;
}

void link_put_icrc(struct link_packet *packet)
{
	struct icrc_path path = path_of(packet);

	icrc_put(&path, packet->bytes, packet->len - WIRE_ICRC_BYTES);
}

static void link_put_ipv6(const struct link_packet *packet, uint16_t udp_bytes,
			  uint8_t *h)
{
	h[0] = (uint8_t)(0x60 | packet->traffic_class >> 4);
	h[1] = (uint8_t)(packet->traffic_class << 4);
	bytes_put_be16(h + 4, udp_bytes);
	h[6] = LINK_PROTOCOL_UDP;
	h[7] = packet->hop_limit ? packet->hop_limit : LINK_HOP_LIMIT;
	memcpy(h + 8, packet->from.gid, 16);
	memcpy(h + 24, packet->to.gid, 16);
}

static uint16_t link_checksum(const uint8_t *h, unsigned bytes)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < bytes; i += 2)
		sum += (uint32_t)h[i] << 8 | h[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

static void link_put_ipv4(const struct link_packet *packet, uint16_t udp_bytes,
			  uint8_t *h)
{
	h[0] = 0x45;
	h[1] = packet->traffic_class;
	bytes_put_be16(h + 2, (uint16_t)(udp_bytes + LINK_IPV4_BYTES));
	bytes_put_be16(h + 6, 0x4000); /* don't fragment */
	h[8] = packet->hop_limit ? packet->hop_limit : LINK_HOP_LIMIT;
	h[9] = LINK_PROTOCOL_UDP;
	memcpy(h + 12, packet->from.gid + 12, 4);
	memcpy(h + 16, packet->to.gid + 12, 4);
	bytes_put_be16(h + 10, link_checksum(h, LINK_IPV4_BYTES));
}

void link_put_header(const struct link_packet *packet,
		     uint8_t header[LINK_HEADER_BYTES])
{
	uint16_t udp_bytes = (uint16_t)(LINK_UDP_BYTES + packet->len);

	memset(header, 0, LINK_HEADER_BYTES);
	if (path_is_ipv4(&packet->to))
		link_put_ipv4(packet, udp_bytes,
			      header + LINK_HEADER_BYTES - LINK_IPV4_BYTES);
	else
		link_put_ipv6(packet, udp_bytes, header);
}
