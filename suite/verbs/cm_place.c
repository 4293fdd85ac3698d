// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which address is the device's: the CM itself is asked. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <string.h>

#include "suite/verbs/cm.h"

/* A GID that is an Internet address: of RoCEv2 all are, of iWARP none. */
static bool place_of_gid(const union ibv_gid *gid, struct sockaddr_in6 *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	const struct in6_addr *a = (const struct in6_addr *)gid->raw;

	memset(out, 0, sizeof(*out));
	if (IN6_IS_ADDR_V4MAPPED(a)) {
		v4->sin_family = AF_INET;
		memcpy(&v4->sin_addr, gid->raw + 12, sizeof(v4->sin_addr));
		return true;
	}
	if (IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_LINKLOCAL(a))
		return false;
	out->sin6_family = AF_INET6;
	out->sin6_addr = *a;
	return true;
}

int verbs_cm_bind(const struct verbs_at *at, struct rdma_event_channel *channel,
		  const struct verbs_cm_place *place, struct rdma_cm_id **id)
{
	struct sockaddr_in6 address;
	struct ifaddrs *list, *i;
	int err = -EADDRNOTAVAIL;

	if (place_of_gid(&place->gid, &address)) {
		err = verbs_cm_try_bind(at, channel, place,
					(struct sockaddr *)&address, id);
		if (!err)
			return 0;
	}
	if (getifaddrs(&list))
		return err;
	for (i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || (i->ifa_addr->sa_family != AF_INET &&
				     i->ifa_addr->sa_family != AF_INET6))
			continue;
		err = verbs_cm_try_bind(at, channel, place, i->ifa_addr, id);
		if (!err)
			break;
	}
	freeifaddrs(list);
	return err ? -EADDRNOTAVAIL : 0;
}
