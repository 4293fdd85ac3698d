// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Receiving: several datagrams in one system call, each perhaps a run of
 * packets that the kernel has put together or has never cut up (UDP_GRO).
 * Packets are handed out where they lie.
 */
#include <errno.h>
#include <string.h>

#include "device/link/udp_private.h"

/* What the kernel tells about a datagram besides its bytes. */
struct udp_notes {
	uint32_t segment; /* bytes of each packet but the last */
	uint8_t traffic_class;
	uint8_t hop_limit;
};

static struct udp_notes udp_notes_read(const struct mmsghdr *msg)
{
	struct msghdr *m = (struct msghdr *)&msg->msg_hdr;
	struct udp_notes notes = { .segment = msg->msg_len };
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		int value = 0;

		/* IP_TOS alone comes as one byte. */
		if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
			notes.traffic_class = *CMSG_DATA(c);
			continue;
		}
		if (c->cmsg_len < CMSG_LEN(sizeof(value)))
			continue;
		memcpy(&value, CMSG_DATA(c), sizeof(value));
		if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_GRO) {
			if (value > 0)
				notes.segment = (uint32_t)value;
		} else if (c->cmsg_level == IPPROTO_IP &&
			   c->cmsg_type == IP_TTL) {
			notes.hop_limit = (uint8_t)value;
		} else if (c->cmsg_level == IPPROTO_IPV6 &&
			   c->cmsg_type == IPV6_HOPLIMIT) {
			notes.hop_limit = (uint8_t)value;
		} else if (c->cmsg_level == IPPROTO_IPV6 &&
			   c->cmsg_type == IPV6_TCLASS) {
			notes.traffic_class = (uint8_t)value;
		}
	}
	return notes;
}

/* Fetch what the socket holds, up to all slots. */
static void udp_refill(struct udp_link *u)
{
	unsigned r;
	int got;

	for (r = 0; r < UDP_RECEIVE_RUNS; r++) {
		struct udp_run *run = &u->receive_runs[r];

		u->receive_iov[r] = (struct iovec){
			.iov_base = u->receive_bytes +
				    (size_t)r * UDP_RECEIVE_BYTES,
			.iov_len = UDP_RECEIVE_BYTES,
		};
		u->receive_msgs[r].msg_hdr = (struct msghdr){
			.msg_name = &run->peer,
			.msg_namelen = sizeof(run->peer),
			.msg_iov = &u->receive_iov[r],
			.msg_iovlen = 1,
			.msg_control = run->control,
			.msg_controllen = sizeof(run->control),
		};
	}
	got = recvmmsg(u->fd, u->receive_msgs, UDP_RECEIVE_RUNS, MSG_DONTWAIT,
		       NULL);
	u->receive_count = got > 0 ? (unsigned)got : 0;
	u->receive_next = 0;
	u->receive_at = 0;
}

/*
 * Hand out packets of the datagram at hand, up to @n, and move on behind it
 * when it is used up.  Its k-th packet was sent with identification k if one
 * of our own kind sent it; other senders' numbering is solved for.
 */
static unsigned udp_split(struct udp_link *u, struct link_packet *packets,
			  unsigned n)
{
	const struct mmsghdr *msg = &u->receive_msgs[u->receive_next];
	const struct udp_run *run = &u->receive_runs[u->receive_next];
	uint8_t *bytes = u->receive_iov[u->receive_next].iov_base;
	struct udp_notes notes = udp_notes_read(msg);
	struct link_packet p = {
		.to = u->address,
		.sport = ntohs(u->ipv6 ? run->peer.v6.sin6_port
				       : run->peer.v4.sin_port),
		.traffic_class = notes.traffic_class,
		.hop_limit = notes.hop_limit,
	};
	struct icrc_path path;
	unsigned got = 0;

	udp_address_get(u, &run->peer, &p.from);
	path = path_of(&p);
	while (got < n && u->receive_at < msg->msg_len) {
		uint32_t left = msg->msg_len - u->receive_at;

		p.bytes = bytes + u->receive_at;
		p.len = left < notes.segment ? left : notes.segment;
		path.ip_id = (uint16_t)(u->receive_at / notes.segment);
		u->receive_at += p.len;
		if (!icrc_check_any_id(&path, p.bytes, p.len)) {
			u->link.counters.bad_icrc++;
			continue;
		}
		u->link.counters.received_packets++;
		u->link.counters.received_bytes += p.len;
		packets[got++] = p;
	}
	if (u->receive_at >= msg->msg_len) {
		u->receive_next++;
		u->receive_at = 0;
	}
	return got;
}

/* At most one system call: the packets of an earlier one in this very call
 * must stay where they are, and a flood of bad ones must not hold us here. */
unsigned udp_receive(struct link *l, struct link_packet *packets, unsigned n)
{
	struct udp_link *u = container_of(l, struct udp_link, link);
	unsigned got = 0;

	if (u->receive_next == u->receive_count)
		udp_refill(u);
	while (got < n && u->receive_next < u->receive_count)
		got += udp_split(u, packets + got, n - got);
	return got;
}
