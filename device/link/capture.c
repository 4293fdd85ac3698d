// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A pcapng file of raw IP packets.  A link hands over BTH to ICRC; the IP and
 * UDP headers are written as they were on the wire.  The one field that a link
 * does not know, the IPv4 identification, is found from the ICRC.
 *
 *	section header | interface | packet | packet | ...
 *
 * The file is a row of whole blocks at any moment: each write is an append of
 * whole blocks.  Every opener begins a section of its own with an interface
 * that is the same in all, so blocks of several processes may follow each
 * other in any order.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "device/link/link.h"
#include "device/link/path.h"
#include "device/wire/bytes.h"
#include "device/wire/packet.h"

enum {
	CAPTURE_SECTION = 0x0a0d0d0a,
	CAPTURE_INTERFACE = 1,
	CAPTURE_PACKET = 6,
	CAPTURE_BYTE_ORDER = 0x1a2b3c4d,
	CAPTURE_LINKTYPE_RAW = 101,
	CAPTURE_OPTION_TSRESOL = 9,
	CAPTURE_TSRESOL_NS = 9,

	CAPTURE_IPV4_BYTES = 20,
	CAPTURE_IPV6_BYTES = 40,
	CAPTURE_UDP_BYTES = 8,
	CAPTURE_HEADERS_MAX = CAPTURE_IPV6_BYTES + CAPTURE_UDP_BYTES,
	CAPTURE_HOP_LIMIT = 64,
	CAPTURE_PROTOCOL_UDP = 17,

	CAPTURE_BUFFER_BYTES = 256 << 10,
	CAPTURE_WRITE_AGE_NS = 1000000,
};

struct capture_block_packet {
	uint32_t type;
	uint32_t bytes;
	uint32_t interface;
	uint32_t time_high;
	uint32_t time_low;
	uint32_t captured;
	uint32_t original;
	/* Then the packet, rounded up to 4, and @bytes again. */
};

struct capture {
	int fd;
	bool failed;	     /* said so once; nothing is written any more */
	uint64_t written_ns; /* when the buffer was last written out */
	size_t len;
	alignas(8) uint8_t buffer[CAPTURE_BUFFER_BYTES];
};

static int capture_write_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

void capture_flush(struct capture *c)
{
	int err;

	if (!c->len || c->failed)
		return;
	err = capture_write_all(c->fd, c->buffer, c->len);
	c->len = 0;
	if (err) {
		c->failed = true;
		log_error("capture ends: %s", strerror(-err));
	}
}

static int capture_write_section(int fd)
{
	const struct {
		uint32_t type, bytes, byte_order;
		uint16_t major, minor;
		uint32_t section_bytes[2]; /* all ones: not known */
		uint32_t bytes_again;
		uint32_t interface_type, interface_bytes;
		uint16_t linktype, reserved;
		uint32_t snap;
		uint16_t option, option_bytes;
		uint8_t resolution[4];
		uint32_t option_end;
		uint32_t interface_bytes_again;
	} head = {
		.type = CAPTURE_SECTION,
		.bytes = 28,
		.byte_order = CAPTURE_BYTE_ORDER,
		.major = 1,
		.section_bytes = { UINT32_MAX, UINT32_MAX },
		.bytes_again = 28,
		.interface_type = CAPTURE_INTERFACE,
		.interface_bytes = 32,
		.linktype = CAPTURE_LINKTYPE_RAW,
		.option = CAPTURE_OPTION_TSRESOL,
		.option_bytes = 1,
		.resolution = { CAPTURE_TSRESOL_NS },
		.interface_bytes_again = 32,
	};

	_Static_assert(sizeof(head) == 28 + 32, "blocks have no holes");
	return capture_write_all(fd, (const uint8_t *)&head, sizeof(head));
}

/* 0 when the file is empty, a capture, or no file that could be asked. */
static int capture_check_file(int fd)
{
	uint32_t type = 0;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	if (pread(fd, &type, sizeof(type), 0) < 0)
		return -errno;
	return type == CAPTURE_SECTION ? 0 : -EEXIST;
}

int capture_open(const char *path, struct capture **out)
{
	struct capture *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (c->fd < 0) {
		err = -errno;
		goto err_free;
	}
	err = capture_check_file(c->fd);
	if (!err)
		err = capture_write_section(c->fd);
	if (err)
		goto err_close;
	*out = c;
	return 0;

err_close:
	close(c->fd);
err_free:
	free(c);
	return err;
}

/* The Internet's sum of 16-bit words, an odd last byte filled up with zero;
 * @sum is that of what came before. */
static uint32_t capture_sum(uint32_t sum, const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += bytes_get_be16(bytes + i);
	if (len % 2)
		sum += (uint32_t)bytes[len - 1] << 8;
	return sum;
}

static uint16_t capture_sum_end(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static size_t capture_put_ipv4(uint8_t *at, const struct link_packet *p,
			       const struct icrc_path *path, uint16_t udp_len)
{
	uint16_t ip_id = path->ip_id;

	if (icrc_solve_ip_id(path, p->bytes, p->len, &ip_id))
		ip_id = path->ip_id; /* a wrong ICRC is shown as it is */
	at[0] = 0x45;
	at[1] = p->traffic_class;
	bytes_put_be16(at + 2, (uint16_t)(CAPTURE_IPV4_BYTES + udp_len));
	bytes_put_be16(at + 4, ip_id);
	bytes_put_be16(at + 6, 0x4000); /* do not fragment */
	at[8] = p->hop_limit ? p->hop_limit : CAPTURE_HOP_LIMIT;
	at[9] = CAPTURE_PROTOCOL_UDP;
	bytes_put_be16(at + 10, 0);
	memcpy(at + 12, path->saddr, 4);
	memcpy(at + 16, path->daddr, 4);
	bytes_put_be16(at + 10,
		       capture_sum_end(capture_sum(0, at, CAPTURE_IPV4_BYTES)));
	return CAPTURE_IPV4_BYTES;
}

static size_t capture_put_ipv6(uint8_t *at, const struct link_packet *p,
			       const struct icrc_path *path, uint16_t udp_len)
{
	bytes_put_be32(at, 0x60000000u | (uint32_t)p->traffic_class << 20);
	bytes_put_be16(at + 4, udp_len);
	at[6] = CAPTURE_PROTOCOL_UDP;
	at[7] = p->hop_limit ? p->hop_limit : CAPTURE_HOP_LIMIT;
	memcpy(at + 8, path->saddr, 16);
	memcpy(at + 24, path->daddr, 16);
	return CAPTURE_IPV6_BYTES;
}

/* IPv6 demands a UDP checksum of ordinary senders, and its zero is spelt as
 * ones.  Over IPv4 RoCEv2 goes without. */
static uint16_t capture_udp_checksum(const uint8_t *ip, const uint8_t *udp,
				     const struct link_packet *p)
{
	uint32_t sum = CAPTURE_PROTOCOL_UDP + CAPTURE_UDP_BYTES + p->len;
	uint16_t checksum;

	sum = capture_sum(sum, ip + 8, 32); /* both addresses */
	sum = capture_sum(sum, udp, CAPTURE_UDP_BYTES);
	sum = capture_sum(sum, p->bytes, p->len);
	checksum = capture_sum_end(sum);
	return checksum ? checksum : 0xffff;
}

/* IP and UDP headers of @p; returns their bytes. */
static size_t capture_put_headers(uint8_t *at, const struct link_packet *p)
{
	struct icrc_path path = path_of(p);
	uint16_t udp_len = (uint16_t)(CAPTURE_UDP_BYTES + p->len);
	size_t ip;
	uint8_t *udp;

	ip = path.ipv6 ? capture_put_ipv6(at, p, &path, udp_len)
		       : capture_put_ipv4(at, p, &path, udp_len);
	udp = at + ip;
	bytes_put_be16(udp, path.sport);
	bytes_put_be16(udp + 2, path.dport);
	bytes_put_be16(udp + 4, udp_len);
	bytes_put_be16(udp + 6, 0);
	if (path.ipv6)
		bytes_put_be16(udp + 6, capture_udp_checksum(at, udp, p));
	return ip + CAPTURE_UDP_BYTES;
}

void capture_packet(struct capture *c, const struct link_packet *packet,
		    uint64_t now_ns)
{
	uint8_t headers[CAPTURE_HEADERS_MAX];
	struct capture_block_packet block;
	size_t header_len, len, padded;
	uint8_t *at;

	if (c->failed || packet->len > WIRE_PACKET_MAX)
		return;
	header_len = capture_put_headers(headers, packet);
	len = header_len + packet->len;
	padded = (len + 3) & ~(size_t)3;
	block = (struct capture_block_packet){
		.type = CAPTURE_PACKET,
		.bytes = (uint32_t)(sizeof(block) + padded + 4),
		.time_high = (uint32_t)(now_ns >> 32),
		.time_low = (uint32_t)now_ns,
		.captured = (uint32_t)len,
		.original = (uint32_t)len,
	};

	if (c->len + block.bytes > sizeof(c->buffer))
		capture_flush(c);
	at = c->buffer + c->len;
	memcpy(at, &block, sizeof(block));
	at += sizeof(block);
	memcpy(at, headers, header_len);
	memcpy(at + header_len, packet->bytes, packet->len);
	memset(at + len, 0, padded - len);
	memcpy(at + padded, &block.bytes, 4);
	c->len += block.bytes;

	if (now_ns - c->written_ns >= CAPTURE_WRITE_AGE_NS) {
		capture_flush(c);
		c->written_ns = now_ns;
	}
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	capture_flush(c);
	close(c->fd);
	free(c);
}
