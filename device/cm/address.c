// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses of connection ids: see the header. */
#include "device/cm/address.h"

#include <endian.h>
#include <errno.h>
#include <linux/in.h>
#include <stdio.h>
#include <string.h>

static const uint8_t address_mapped[12] = { [10] = 0xff, [11] = 0xff };

static bool address_is_mapped(const uint8_t ip[16])
{
	return !memcmp(ip, address_mapped, sizeof(address_mapped));
}

int cm_address_get(const void *sockaddr, size_t len, struct cm_address *address)
{
	struct cm_address a = { 0 };
	struct sockaddr_in in;
	struct sockaddr_in6 in6;

	if (len < sizeof(a.family))
		return -EINVAL;
	memcpy(&a.family, sockaddr, sizeof(a.family));
	switch (a.family) {
	case CM_INET:
		if (len < sizeof(in))
			return -EINVAL;
		memcpy(&in, sockaddr, sizeof(in));
		a.port = be16toh(in.sin_port);
		memcpy(a.ip, address_mapped, sizeof(address_mapped));
		memcpy(a.ip + sizeof(address_mapped), &in.sin_addr, 4);
		break;
	case CM_INET6:
		if (len < sizeof(in6))
			return -EINVAL;
		memcpy(&in6, sockaddr, sizeof(in6));
		a.port = be16toh(in6.sin6_port);
		memcpy(a.ip, &in6.sin6_addr, sizeof(a.ip));
		break;
	case CM_IB:
		return -EADDRNOTAVAIL;
	default:
		return -EAFNOSUPPORT;
	}
	*address = a;
	return 0;
}

void cm_address_put(const struct cm_address *address,
		    struct sockaddr_in6 *sockaddr)
{
	struct sockaddr_in in = { .sin_family = CM_INET };

	memset(sockaddr, 0, sizeof(*sockaddr));
	if (address->family == CM_INET) {
		in.sin_port = htobe16(address->port);
		memcpy(&in.sin_addr, address->ip + 12, 4);
		memcpy(sockaddr, &in, sizeof(in));
	} else if (address->family == CM_INET6) {
		sockaddr->sin6_family = CM_INET6;
		sockaddr->sin6_port = htobe16(address->port);
		memcpy(&sockaddr->sin6_addr, address->ip, 16);
	}
}

bool cm_address_is_any(const struct cm_address *address)
{
	static const uint8_t none[16];

	if (address_is_mapped(address->ip))
		return !memcmp(address->ip + 12, none, 4);
	return !memcmp(address->ip, none, 16);
}

struct cm_address cm_address_loopback(const struct cm_address *like)
{
	struct cm_address a = { .port = like->port, .family = like->family };

	memcpy(a.ip, address_mapped, sizeof(address_mapped));
	a.ip[12] = 127;
	a.ip[15] = 1;
	return a;
}

size_t cm_address_name(const struct cm_address *address, uint16_t port_space,
		       char name[CM_NAME_BYTES])
{
	int n = snprintf(name, CM_NAME_BYTES, "softrdma-cm-1-%03x-%u-",
			 port_space, address->port);

	if (cm_address_is_any(address))
		return (size_t)(n + snprintf(name + n,
					     CM_NAME_BYTES - (size_t)n, "any"));
	for (size_t i = 0; i < sizeof(address->ip); i++)
		n += snprintf(name + n, CM_NAME_BYTES - (size_t)n, "%02x",
			      address->ip[i]);
	return (size_t)n;
}
