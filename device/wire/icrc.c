// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The invariant CRC: CRC-32 as Ethernet and zlib have it, over 8 bytes of ones
 * (in place of the local route header), the IP, UDP and BTH headers with their
 * variant fields as ones, and all the rest up to the pad.
 */
#include "device/wire/icrc.h"

#include <assert.h>
#include <errno.h>
#include <isa-l/crc.h>
#include <string.h>

#include "base/vector.h"
#include "device/wire/bytes.h"

enum {
	LRH_BYTES = 8,
	IPV4_BYTES = 20,
	IPV6_BYTES = 40,
	UDP_BYTES = 8,
	BTH_BYTES = 12,
	ICRC_BYTES = 4,
	/* BTH and the longest that may follow it before a payload. */
	HEADERS_MAX = BTH_BYTES + 28,
	/* What the masked copy holds at most. */
	MASKED_MAX = LRH_BYTES + IPV6_BYTES + UDP_BYTES + HEADERS_MAX,
	/* From behind the identification to the end of the UDP header. */
	BEHIND_ID = IPV4_BYTES - 6 + UDP_BYTES,

	IPV4_DONT_FRAGMENT = 0x4000,
	PROTOCOL_UDP = 17,
};

static size_t icrc_put_ipv4(const struct icrc_path *path, uint8_t *at,
			    size_t udp_len)
{
	at[0] = 0x45;
	at[1] = 0xff; /* TOS */
	bytes_put_be16(at + 2, (uint16_t)(IPV4_BYTES + udp_len));
	bytes_put_be16(at + 4, path->ip_id);
	bytes_put_be16(at + 6, path->dont_fragment ? IPV4_DONT_FRAGMENT : 0);
	at[8] = 0xff; /* TTL */
	at[9] = PROTOCOL_UDP;
	bytes_put_be16(at + 10, 0xffff); /* header checksum */
	memcpy(at + 12, path->saddr, 4);
	memcpy(at + 16, path->daddr, 4);
	return IPV4_BYTES;
}

static size_t icrc_put_ipv6(const struct icrc_path *path, uint8_t *at,
			    size_t udp_len)
{
	/* Version; traffic class and flow label as ones. */
	bytes_put_be32(at, 0x6fffffff);
	bytes_put_be16(at + 4, (uint16_t)udp_len);
	at[6] = PROTOCOL_UDP;
	at[7] = 0xff; /* hop limit */
	memcpy(at + 8, path->saddr, 16);
	memcpy(at + 24, path->daddr, 16);
	return IPV6_BYTES;
}

/* The CRC of all that stands before bytes[head], BTH included; they are @len
 * without the ICRC. */
static uint32_t icrc_compute_head(const struct icrc_path *path,
				  const uint8_t *bytes, size_t head, size_t len)
{
	uint8_t masked[MASKED_MAX];
	uint8_t *at = masked;
	size_t udp_len = UDP_BYTES + len + ICRC_BYTES;

	memset(at, 0xff, LRH_BYTES);
	at += LRH_BYTES;
	at += path->ipv6 ? icrc_put_ipv6(path, at, udp_len)
			 : icrc_put_ipv4(path, at, udp_len);
	bytes_put_be16(at, path->sport);
	bytes_put_be16(at + 2, path->dport);
	bytes_put_be16(at + 4, (uint16_t)udp_len);
	bytes_put_be16(at + 6, 0xffff); /* checksum */
	at += UDP_BYTES;
	memcpy(at, bytes, head);
	at[4] = 0xff; /* FECN, BECN, reserved */
	at += head;
	return crc32_gzip_refl(0, masked, (uint64_t)(at - masked));
}

uint32_t icrc_compute(const struct icrc_path *path, const uint8_t *bytes,
		      size_t len)
{
	size_t bth = len < BTH_BYTES ? len : BTH_BYTES;
	uint32_t crc = icrc_compute_head(path, bytes, bth, len);

	crc = crc32_gzip_refl(crc, bytes + bth, len - bth);
	vector_leave();
	return crc;
}

static void icrc_put_value(uint8_t *at, uint32_t crc)
{
	uint32_t v = htole32(crc);

	memcpy(at, &v, sizeof(v));
}

void icrc_put_summed(const struct icrc_path *path, uint8_t *bytes, size_t len,
		     const struct icrc_sum *sum)
{
	size_t head = len - sum->len;
	uint32_t crc;

	assert(sum->len <= len && head >= BTH_BYTES && head <= HEADERS_MAX);
	crc = icrc_compute_head(path, bytes, head, len);
	icrc_put_value(bytes + len, icrc_append(crc, sum));
	vector_leave();
}

static uint32_t icrc_get(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

void icrc_put(const struct icrc_path *path, uint8_t *bytes, size_t len)
{
	icrc_put_value(bytes + len, icrc_compute(path, bytes, len));
}

/* Right sum and the one found, as a difference: 0 is a match.  Shorter than
 * BTH and ICRC is a difference that no identification explains. */
static int icrc_difference(const struct icrc_path *path, const uint8_t *bytes,
			   size_t len, uint32_t *difference)
{
	if (len < BTH_BYTES + ICRC_BYTES)
		return -EBADMSG;
	len -= ICRC_BYTES;
	*difference = icrc_compute(path, bytes, len) ^ icrc_get(bytes + len);
	return 0;
}

bool icrc_check(const struct icrc_path *path, const uint8_t *bytes, size_t len)
{
	uint32_t difference;

	return !icrc_difference(path, bytes, len, &difference) && !difference;
}

/*
 * x to the power of -8 * 2^k modulo the polynomial, bit 31 the coefficient of
 * x^0: what undoes feeding 2^k bytes.  Each is the square of the one before.
 */
static const uint32_t icrc_undo[17] = {
	0x6567cb95, 0xd7125358, 0x5b358fd3, 0x2e9bb40b, 0x12a59a49, 0x8df9403d,
	0x5139de12, 0xba340226, 0x29c45641, 0x12fbc105, 0xecd30c55, 0x3755ebd8,
	0x24ee460c, 0x23783fcf, 0x479933fc, 0xa39442a5, 0x9ea0056d,
};

static uint32_t icrc_multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		product ^= b & -(a >> 31);
		b = b >> 1 ^ (0xedb88320 & -(b & 1));
	}
	return product;
}

int icrc_solve_ip_id(const struct icrc_path *path, const uint8_t *bytes,
		     size_t len, uint16_t *ip_id)
{
	uint32_t difference;
	size_t fed;
	unsigned k;

	if (icrc_difference(path, bytes, len, &difference))
		return -EBADMSG;
	/*
	 * Two sums that differ in the identification alone: take back all the
	 * bytes fed since, and the two of the identification, and its
	 * difference stands in the first 16 bits to be fed.
	 */
	fed = 2 + BEHIND_ID + len - ICRC_BYTES;
	for (k = 0; difference && fed && k < 17; k++, fed >>= 1)
		if (fed & 1)
			difference = icrc_multiply(icrc_undo[k], difference);
	if (fed && difference)
		return -EBADMSG;
	if (path->ipv6 ? difference : difference >> 16)
		return -EBADMSG;
	*ip_id = path->ip_id ^ __builtin_bswap16((uint16_t)difference);
	return 0;
}

bool icrc_check_any_id(const struct icrc_path *path, const uint8_t *bytes,
		       size_t len)
{
	uint16_t ip_id;

	return !icrc_solve_ip_id(path, bytes, len, &ip_id);
}
