// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The link over an ordinary UDP socket: no privilege, no daemon.
 *
 * The ICRC covers the IPv4 identification, which a socket neither shows nor
 * sets.  But an unconnected socket that forbids fragments (PMTUDISC_DO) sends
 * identification 0, and a run that the kernel cuts into segments counts up
 * from 0: so what a sender cannot set it can foretell.  connect() would give
 * the socket a counter of its own: never do.
 *
 * The socket is bound to port 4791, where all RoCEv2 traffic goes, so 4791 is
 * the source port on the wire too, whatever flow the sender had in mind.
 * Receivers do not look at it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/link/udp_private.h"

/* What a socket buffer should hold: some windows of 128 packets of 4 KiB. */
enum { UDP_SOCKET_BUFFER = 32 << 20 };

bool udp_address_put(const struct udp_link *u, const struct link_address *a,
		     union udp_sockaddr *out)
{
	if (path_is_ipv4(a) == u->ipv6)
		return false;
	memset(out, 0, sizeof(*out));
	if (u->ipv6) {
		out->v6.sin6_family = AF_INET6;
		out->v6.sin6_port = htons(WIRE_UDP_PORT);
		memcpy(&out->v6.sin6_addr, a->gid, 16);
	} else {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons(WIRE_UDP_PORT);
		memcpy(&out->v4.sin_addr, a->gid + 12, 4);
	}
	return true;
}

void udp_address_get(const struct udp_link *u, const union udp_sockaddr *in,
		     struct link_address *out)
{
	if (u->ipv6) {
		memcpy(out->gid, &in->v6.sin6_addr, 16);
		return;
	}
	memcpy(out->gid, path_mapped_prefix, sizeof(path_mapped_prefix));
	memcpy(out->gid + 12, &in->v4.sin_addr, 4);
}

static int udp_fd(struct link *l)
{
	return container_of(l, struct udp_link, link)->fd;
}

static void udp_close(struct link *l)
{
	struct udp_link *u = container_of(l, struct udp_link, link);

	close(u->fd);
	free(u->receive_bytes);
	free(u);
}

static const struct link_ops udp_ops = {
	.send = udp_send,
	.receive = udp_receive,
	.fd = udp_fd,
	.close = udp_close,
};

static int udp_set(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)))
		return -errno;
	return 0;
}

/* As much as the system gives: root's wish is granted whole, others' up to
 * net.core.rmem_max and wmem_max.  Less only means losses earlier. */
static void udp_set_buffers(int fd)
{
	if (udp_set(fd, SOL_SOCKET, SO_RCVBUFFORCE, UDP_SOCKET_BUFFER))
		(void)udp_set(fd, SOL_SOCKET, SO_RCVBUF, UDP_SOCKET_BUFFER);
	if (udp_set(fd, SOL_SOCKET, SO_SNDBUFFORCE, UDP_SOCKET_BUFFER))
		(void)udp_set(fd, SOL_SOCKET, SO_SNDBUF, UDP_SOCKET_BUFFER);
}

static int udp_set_ipv4(int fd)
{
	int err = udp_set(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);

	if (!err)
		err = udp_set(fd, IPPROTO_IP, IP_TTL, UDP_HOP_LIMIT);
	if (!err)
		err = udp_set(fd, IPPROTO_IP, IP_RECVTOS, 1);
	if (!err)
		err = udp_set(fd, IPPROTO_IP, IP_RECVTTL, 1);
	return err;
}

/* Linux rxe sends no UDP checksum over IPv6 either; a socket drops that
 * unless told not to. */
static int udp_set_ipv6(int fd)
{
	int err = udp_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);

	if (!err)
		err = udp_set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER,
			      IPV6_PMTUDISC_DO);
	if (!err)
		err = udp_set(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS,
			      UDP_HOP_LIMIT);
	if (!err)
		err = udp_set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
	if (!err)
		err = udp_set(fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
	if (!err)
		err = udp_set(fd, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
	return err;
}

static uint64_t udp_room(int fd)
{
	int room = 0;
	socklen_t len = sizeof(room);

	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, &len))
		return 0;
	return (uint64_t)room;
}

/* SO_REUSEADDR is left off: with it two adapters could have one address. */
static int udp_socket_open(const struct udp_link *u, int *out)
{
	union udp_sockaddr local;
	int fd, err;

	fd = socket(u->ipv6 ? AF_INET6 : AF_INET,
		    SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = u->ipv6 ? udp_set_ipv6(fd) : udp_set_ipv4(fd);
	if (err)
		goto err_close;
	udp_set_buffers(fd);
	/* Old kernels hand out packet by packet; that is as right. */
	(void)udp_set(fd, IPPROTO_UDP, UDP_GRO, 1);

	if (!udp_address_put(u, &u->address, &local)) {
		err = -EAFNOSUPPORT;
		goto err_close;
	}
	if (bind(fd, &local.any,
		 u->ipv6 ? sizeof(local.v6) : sizeof(local.v4))) {
		err = -errno;
		goto err_close;
	}
	*out = fd;
	return 0;

err_close:
	close(fd);
	return err;
}

/* A wildcard is no adapter's address: packets would leave with another one,
 * and the ICRC covers it. */
static bool udp_address_is_wildcard(const struct link_address *a)
{
	static const uint8_t zero[16];

	return !memcmp(a->gid, zero, 16) ||
	       (path_is_ipv4(a) && !memcmp(a->gid + 12, zero, 4));
}

int link_udp_open(const struct link_address *address, struct link **out)
{
	struct udp_link *u;
	int err;

	if (udp_address_is_wildcard(address))
		return -EADDRNOTAVAIL;
	u = calloc(1, sizeof(*u));
	if (!u)
		return -ENOMEM;
	u->receive_bytes = malloc((size_t)UDP_RECEIVE_RUNS * UDP_RECEIVE_BYTES);
	if (!u->receive_bytes) {
		err = -ENOMEM;
		goto err_free;
	}
	u->link.ops = &udp_ops;
	u->address = *address;
	u->ipv6 = !path_is_ipv4(address);
	u->gso = true;
	err = udp_socket_open(u, &u->fd);
	if (err)
		goto err_free_bytes;
	u->link.room = udp_room(u->fd);
	*out = &u->link;
	return 0;

err_free_bytes:
	free(u->receive_bytes);
err_free:
	free(u);
	return err;
}
