// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Of the interface behind an address only this is of interest: how long a
 * packet may be.  A longer one is never cut into fragments (udp.c), so it
 * would not leave at all.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device/link/link.h"
#include "device/link/udp_private.h"
#include "device/wire/opcode.h"
#include "device/wire/packet.h"

enum {
	INTERFACE_IPV4_BYTES = 20,
	INTERFACE_IPV6_BYTES = 40,
	INTERFACE_UDP_BYTES = 8,
	/* No packet with a payload has more: WRITE with immediate. */
	INTERFACE_ROCE_BYTES = WIRE_BTH_BYTES + WIRE_BYTES_RETH +
			       WIRE_BYTES_IMM + WIRE_ICRC_BYTES,
	INTERFACE_MTU_MIN = 256,
	INTERFACE_MTU_MAX = 4096,
};

static bool interface_has_ipv4(const struct ifaddrs *i,
			       const struct link_address *a)
{
	const struct sockaddr_in *own = (const void *)i->ifa_addr;
	const struct sockaddr_in *mask = (const void *)i->ifa_netmask;
	uint32_t wanted;

	memcpy(&wanted, a->gid + 12, sizeof(wanted));
	if (own->sin_addr.s_addr == wanted)
		return true;
	/* The whole of 127.0.0.0/8 is here, though one address is listed. */
	return i->ifa_flags & IFF_LOOPBACK && mask &&
	       !((own->sin_addr.s_addr ^ wanted) & mask->sin_addr.s_addr);
}

static bool interface_has(const struct ifaddrs *i, const struct link_address *a)
{
	const struct sockaddr_in6 *own = (const void *)i->ifa_addr;

	if (!i->ifa_addr)
		return false;
	if (i->ifa_addr->sa_family == AF_INET)
		return path_is_ipv4(a) && interface_has_ipv4(i, a);
	return i->ifa_addr->sa_family == AF_INET6 &&
	       !memcmp(&own->sin6_addr, a->gid, sizeof(a->gid));
}

static int interface_ask(struct link_interface *found)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;
	struct ifreq r = { 0 };

	if (fd < 0)
		return -errno;
	memcpy(r.ifr_name, found->name, sizeof(r.ifr_name));
	if (ioctl(fd, SIOCGIFMTU, &r) < 0)
		err = -errno;
	else
		found->mtu = r.ifr_mtu > 0 ? (uint32_t)r.ifr_mtu : 0;
	close(fd);
	return err;
}

int link_interface_find(const struct link_address *address,
			struct link_interface *out)
{
	struct link_interface found = { 0 };
	struct ifaddrs *all, *i;
	int err = -ENODEV;

	if (getifaddrs(&all))
		return -errno;
	for (i = all; i && err == -ENODEV; i = i->ifa_next) {
		if (!interface_has(i, address))
			continue;
		snprintf(found.name, sizeof(found.name), "%s", i->ifa_name);
		err = interface_ask(&found);
	}
	freeifaddrs(all);
	if (!err)
		*out = found;
	return err;
}

uint32_t link_interface_fits(uint32_t mtu, bool ipv6)
{
	uint32_t bytes = INTERFACE_MTU_MAX;
	uint32_t around = INTERFACE_UDP_BYTES + INTERFACE_ROCE_BYTES +
			  (ipv6 ? INTERFACE_IPV6_BYTES : INTERFACE_IPV4_BYTES);

	while (bytes >= INTERFACE_MTU_MIN && bytes + around > mtu)
		bytes /= 2;
	return bytes >= INTERFACE_MTU_MIN ? bytes : 0;
}
