// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sending: packets of one destination and one length (the last may be
 * shorter) form a run, which the kernel takes as one datagram and cuts up
 * again (UDP_SEGMENT); several runs go in one system call.
 *
 *	packets   4140 4140 4140 820 | 4140 | 16 16 16 ...
 *	runs      one, 4 segments    | two  | three
 *	IPv4 id   0    1    2    3   | 0    | 0  1  2
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "device/link/udp_private.h"

static bool udp_same_flow(const struct link_packet *a,
			  const struct link_packet *b)
{
	return !memcmp(&a->to, &b->to, sizeof(a->to)) &&
	       a->traffic_class == b->traffic_class &&
	       a->hop_limit == b->hop_limit;
}

/* How many of packets[0..n) one run can hold; at least one. */
static unsigned udp_run_measure(const struct udp_link *u,
				const struct link_packet *packets, unsigned n)
{
	uint32_t bytes = packets[0].len;
	unsigned k;

	if (!u->gso || n > UDP_RUN_PACKETS)
		n = u->gso ? UDP_RUN_PACKETS : 1;
	for (k = 1; k < n; k++) {
		bytes += packets[k].len;
		if (packets[k].len > packets[0].len || bytes > UDP_RUN_BYTES ||
		    packets[k - 1].len < packets[0].len ||
		    !udp_same_flow(&packets[0], &packets[k]))
			break;
	}
	return k;
}

static void udp_control_add(struct msghdr *m, int level, int type,
			    const void *value, size_t len)
{
	struct cmsghdr *c = (struct cmsghdr *)((uint8_t *)m->msg_control +
					       m->msg_controllen);

	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(c), value, len);
	m->msg_controllen += CMSG_SPACE(len);
}

/* Only what differs from the socket's own settings. */
static void udp_run_control(const struct udp_link *u, struct msghdr *m,
			    const struct link_packet *first, unsigned packets)
{
	uint16_t segment = (uint16_t)first->len;
	int traffic_class = first->traffic_class;
	int hop_limit = first->hop_limit;

	m->msg_controllen = 0;
	if (packets > 1)
		udp_control_add(m, IPPROTO_UDP, UDP_SEGMENT, &segment,
				sizeof(segment));
	if (traffic_class)
		udp_control_add(m, u->ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
				u->ipv6 ? IPV6_TCLASS : IP_TOS, &traffic_class,
				sizeof(traffic_class));
	if (hop_limit && hop_limit != UDP_HOP_LIMIT)
		udp_control_add(m, u->ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
				u->ipv6 ? IPV6_HOPLIMIT : IP_TTL, &hop_limit,
				sizeof(hop_limit));
	if (!m->msg_controllen)
		m->msg_control = NULL;
}

static void udp_turn(struct link_packet *p)
{
	p->bytes[(p->turn - 1) / 8] ^= (uint8_t)(1u << (p->turn - 1) % 8);
	p->turned = !p->turned;
}

/*
 * Turn the bit that a fault asks for, or the next one that the receiver is
 * sure to find: some are not covered, and some it takes for another IPv4
 * identification.
 */
static void udp_spoil(const struct icrc_path *path, struct link_packet *p)
{
	uint32_t bits = p->len * 8;

	if (p->turn > bits)
		p->turn = bits;
	udp_turn(p);
	while (icrc_check_any_id(path, p->bytes, p->len)) {
		udp_turn(p);
		p->turn = p->turn % bits + 1;
		udp_turn(p);
	}
}

static void udp_seal(const struct icrc_path *path, struct link_packet *p)
{
	uint32_t len = p->len - WIRE_ICRC_BYTES;

	assert(p->len >= WIRE_BTH_BYTES + WIRE_ICRC_BYTES);
	if (unlikely(p->turned))
		udp_turn(p); /* it was offered before, in vain */
	if (p->sum.len)
		icrc_put_summed(path, p->bytes, len, &p->sum);
	else
		icrc_put(path, p->bytes, len);
	if (unlikely(p->turn))
		udp_spoil(path, p);
}

/*
 * Write the ICRCs of a run, each with the identification it will have; returns
 * the pieces of memory that it is in.  Packets that lie one behind the other
 * are one piece: the kernel copies it at once.
 */
static unsigned udp_run_seal(const struct udp_link *u,
			     struct link_packet *packets, unsigned n,
			     struct iovec *iov)
{
	const uint8_t *end = NULL;
	struct icrc_path path;
	unsigned pieces = 0;
	unsigned k;

	for (k = 0; k < n; k++) {
		packets[k].from = u->address;
		packets[k].sport = WIRE_UDP_PORT;
	}
	path = path_of(&packets[0]);
	for (k = 0; k < n; k++) {
		struct link_packet *p = &packets[k];

		path.ip_id = (uint16_t)k;
		udp_seal(&path, p);
		if (p->bytes == end)
			iov[pieces - 1].iov_len += p->len;
		else
			iov[pieces++] = (struct iovec){ p->bytes, p->len };
		end = p->bytes + p->len;
	}
	return pieces;
}

/* Make one run of packets[0..n), in slot @slot; false when they have no
 * address that this socket can send to. */
static bool udp_run_make(struct udp_link *u, unsigned slot,
			 struct link_packet *packets, unsigned n,
			 struct iovec *iov)
{
	struct udp_run *run = &u->send_runs[slot];
	struct msghdr *m = &u->send_msgs[slot].msg_hdr;
	unsigned pieces;

	run->packets = n;
	if (!udp_address_put(u, &packets[0].to, &run->peer))
		return false;
	pieces = udp_run_seal(u, packets, n, iov);
	*m = (struct msghdr){
		.msg_name = &run->peer,
		.msg_namelen = u->ipv6 ? sizeof(run->peer.v6)
				       : sizeof(run->peer.v4),
		.msg_iov = iov,
		.msg_iovlen = pieces,
		.msg_control = run->control,
	};
	udp_run_control(u, m, &packets[0], n);
	return true;
}

/* Fill the slots from packets[0..n); returns the runs.  A run that cannot be
 * sent ends the batch, and when it is the first, *@refused is its packets. */
static unsigned udp_batch_make(struct udp_link *u, struct link_packet *packets,
			       unsigned n, unsigned *refused)
{
	unsigned runs = 0, k = 0;

	*refused = 0;
	while (runs < UDP_SEND_RUNS && k < n && k < UDP_SEND_PACKETS) {
		unsigned room = UDP_SEND_PACKETS - k;
		unsigned take = udp_run_measure(u, packets + k,
						n - k < room ? n - k : room);

		if (!udp_run_make(u, runs, packets + k, take,
				  u->send_iov + k)) {
			if (!runs)
				*refused = take;
			break;
		}
		runs++;
		k += take;
	}
	return runs;
}

static unsigned udp_count_sent(struct udp_link *u, unsigned runs)
{
	struct link_counters *c = &u->link.counters;
	unsigned packets = 0;
	unsigned r;

	for (r = 0; r < runs; r++) {
		packets += u->send_runs[r].packets;
		c->sent_bytes += u->send_msgs[r].msg_len;
	}
	c->sent_packets += packets;
	return packets;
}

/* Words for "no room at the moment". */
static bool udp_error_passes(int err)
{
	return err == EAGAIN || err == EWOULDBLOCK || err == ENOBUFS ||
	       err == ENOMEM;
}

/* Words for "I cannot cut up runs": kernel too old, or a route whose device
 * or encapsulation does not allow it. */
static bool udp_error_is_gso(int err)
{
	return err == EIO || err == EINVAL || err == ENOPROTOOPT ||
	       err == EOPNOTSUPP;
}

unsigned udp_send(struct link *l, struct link_packet *packets, unsigned n)
{
	struct udp_link *u = container_of(l, struct udp_link, link);
	unsigned taken = 0;

	while (taken < n) {
		unsigned refused;
		unsigned runs =
			udp_batch_make(u, packets + taken, n - taken, &refused);
		int sent = 0;

		if (runs)
			sent = sendmmsg(u->fd, u->send_msgs, runs, 0);
		if (sent > 0) {
			taken += udp_count_sent(u, (unsigned)sent);
			continue;
		}
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && udp_error_passes(errno))
			break;
		if (sent < 0 && u->send_runs[0].packets > 1 &&
		    udp_error_is_gso(errno)) {
			u->gso = false;
			continue;
		}
		/* The first run will never go: a wire would have lost it. */
		if (runs)
			refused = u->send_runs[0].packets;
		l->counters.send_errors += refused;
		taken += refused;
	}
	return taken;
}
