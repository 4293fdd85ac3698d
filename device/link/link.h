/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A link carries RoCEv2 packets between the addresses of adapters.  Three
 * functions: send, receive, and the descriptor to wait on.  It computes and
 * checks the ICRC, because only a link knows the IP header; it never blocks,
 * never retries, and may lose packets as a wire does.
 */
#ifndef DEVICE_LINK_LINK_H
#define DEVICE_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/wire/icrc_copy.h"

/* An IPv4 address as its mapped IPv6 address, which is also its GID. */
struct link_address {
	uint8_t gid[16];
};

struct link_packet {
	struct link_address from;
	struct link_address to;
	/* UDP source port, host order: the flow's entropy.  A link that cannot
	 * choose it sets on sending what stands on the wire. */
	uint16_t sport;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t *bytes; /* BTH..ICRC */
	uint32_t len;
	/* A fault: this bit of @bytes, counted from 1, is turned behind the
	 * ICRC's back, so that the receiver drops the packet; 0: none.  A link
	 * without ICRC drops it itself. */
	uint32_t turn;
	bool turned; /* the link's own note that it has done so */
	/* The payload's part of the ICRC, when it was summed on its way to
	 * @bytes; whoever changes it there later takes this away. */
	struct icrc_sum sum;
};

struct link;

struct link_ops {
	/*
	 * Send packets[0..n) in order.  The last four of each one's bytes are
	 * room for the ICRC, which the link fills in, as it does @from.
	 * Returns how many were taken; the rest found no room and may be
	 * offered again.
	 */
	unsigned (*send)(struct link *l, struct link_packet *packets,
			 unsigned n);
	/*
	 * Fetch up to @n packets with a right ICRC; the others are counted in
	 * @l->counters and dropped.  Their bytes are the link's, valid until
	 * the next call.  Returns how many; when it returns @n there may be
	 * more that fd() does not tell of: call again before waiting.
	 */
	unsigned (*receive)(struct link *l, struct link_packet *packets,
			    unsigned n);
	/* Readable when receive() would return something; -1: none. */
	int (*fd)(struct link *l);
	void (*close)(struct link *l);
};

struct link_counters {
	uint64_t sent_packets, sent_bytes;
	uint64_t received_packets, received_bytes;
	uint64_t bad_icrc;    /* dropped for it */
	uint64_t send_errors; /* packets that the system refused for good */
};

struct link {
	const struct link_ops *ops;
	struct link_counters counters;
	/* Bytes that a receiver of this kind holds before it loses some, as
	 * the system counts them; UINT64_MAX: it loses none. */
	uint64_t room;
};

/*
 * The link over a UDP socket on port 4791 of @address (udp.c).  0, or a
 * negative errno: -EADDRINUSE when another adapter has that address,
 * -EADDRNOTAVAIL, -EACCES.
 */
int link_udp_open(const struct link_address *address,
		  struct link **out) MUST_USE;

/*
 * The interface of this host that has @address, and the longest IP packet that
 * it sends (interface.c).  0, or a negative errno: -ENODEV when none has it.
 */
struct link_interface {
	char name[16];
	uint32_t mtu;
};
int link_interface_find(const struct link_address *address,
			struct link_interface *out) MUST_USE;
/* The largest MTU of RDMA, 256 to 4096, whose packets an interface of @mtu
 * sends whole; 0: none. */
uint32_t link_interface_fits(uint32_t mtu, bool ipv6);

/*
 * The IP header of a packet as the first 40 bytes of a UD receive buffer show
 * it: an IPv6 header, or 20 zeroes and an IPv4 header (wire.md, section 12).
 */
enum { LINK_HEADER_BYTES = 40 };
void link_put_header(const struct link_packet *packet,
		     uint8_t header[LINK_HEADER_BYTES]);

/* Fill in the ICRC of a packet that no link carries, as link_udp would
 * (IPv4 identification 0), from its addresses and @sport (link.c). */
void link_put_icrc(struct link_packet *packet);

/*
 * A pcapng file of packets as they were on the wire, with IP and UDP headers
 * (capture.c).  An existing capture is continued, and several processes may
 * write the same file at once.  0, or a negative errno: -EEXIST when @path
 * holds something else than a capture.
 */
struct capture;
int capture_open(const char *path, struct capture **out) MUST_USE;
/*
 * Append one packet; @now_ns is wall time.  What is buffered is written when
 * much has come together, or when the last write is a millisecond old; so
 * whoever goes idle calls capture_flush(), lest a killed process lose the last
 * packets (what is written is readable at any time).
 */
void capture_packet(struct capture *c, const struct link_packet *packet,
		    uint64_t now_ns);
void capture_flush(struct capture *c);
void capture_close(struct capture *c);

#endif
