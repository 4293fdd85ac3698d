/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The UDP link's insides, shared by udp.c (socket), udp_send.c and
 * udp_receive.c; nobody else includes this.
 */
#ifndef DEVICE_LINK_UDP_PRIVATE_H
#define DEVICE_LINK_UDP_PRIVATE_H

#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/compiler.h"
#include "device/link/link.h"
#include "device/link/path.h"
#include "device/wire/packet.h"

enum {
	/* One system call sends so many runs of so many packets in all. */
	UDP_SEND_RUNS = 32,
	UDP_SEND_PACKETS = 256,
	/* What one run may hold: the kernel's limit of segments (64 in old
	 * ones) and a datagram's bytes. */
	UDP_RUN_PACKETS = 64,
	UDP_RUN_BYTES = 65000,

	/* One system call fetches so many datagrams of any size, each perhaps
	 * a run that the kernel has put together. */
	UDP_RECEIVE_RUNS = 8,
	UDP_RECEIVE_BYTES = 65536,

	UDP_HOP_LIMIT = 64,
};

union udp_sockaddr {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Packets that leave, or came, as one datagram of the socket's. */
struct udp_run {
	union udp_sockaddr peer;
	/* Room for the three control messages there can be, both ways. */
	alignas(struct cmsghdr) uint8_t control[3 * CMSG_SPACE(sizeof(int))];
	unsigned packets;
};

struct udp_link {
	struct link link;
	struct link_address address;
	int fd;
	bool ipv6;
	bool gso; /* until the kernel refuses it */

	/* Scratch of one send call. */
	struct mmsghdr send_msgs[UDP_SEND_RUNS];
	struct udp_run send_runs[UDP_SEND_RUNS];
	struct iovec send_iov[UDP_SEND_PACKETS];

	/* Datagrams received: those before receive_next have been handed out,
	 * and of that one the bytes before receive_at. */
	struct mmsghdr receive_msgs[UDP_RECEIVE_RUNS];
	struct udp_run receive_runs[UDP_RECEIVE_RUNS];
	struct iovec receive_iov[UDP_RECEIVE_RUNS];
	uint8_t *receive_bytes; /* UDP_RECEIVE_RUNS * UDP_RECEIVE_BYTES */
	unsigned receive_count;
	unsigned receive_next;
	uint32_t receive_at;
};

/* False when @a is of the family that the socket is not. */
bool udp_address_put(const struct udp_link *u, const struct link_address *a,
		     union udp_sockaddr *out) MUST_USE;
void udp_address_get(const struct udp_link *u, const union udp_sockaddr *in,
		     struct link_address *out);
unsigned udp_send(struct link *l, struct link_packet *packets, unsigned n);
unsigned udp_receive(struct link *l, struct link_packet *packets, unsigned n);

#endif
