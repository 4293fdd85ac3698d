// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What all links share: the path that an ICRC covers. */
#include "device/link/link.h"

#include <string.h>

#include "device/link/path.h"
#include "device/wire/packet.h"

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
