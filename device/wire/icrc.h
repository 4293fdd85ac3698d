/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The invariant CRC over IP, UDP and IB headers and payload, with the fields
 * that routers change masked to ones (IBA annex A17; wire.md, section 5).
 */
#ifndef DEVICE_WIRE_ICRC_H
#define DEVICE_WIRE_ICRC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "device/wire/icrc_copy.h"

/* The parts of the IP and UDP headers that the ICRC covers. */
struct icrc_path {
	bool ipv6;
	uint8_t saddr[16]; /* IPv4: the first four bytes */
	uint8_t daddr[16];
	uint16_t sport; /* host order */
	uint16_t dport;
	uint16_t ip_id;	    /* IPv4 only */
	bool dont_fragment; /* IPv4 only */
};

/* The ICRC of @bytes[0..len), BTH to pad: what stands behind them in
 * little-endian order. */
uint32_t icrc_compute(const struct icrc_path *path, const uint8_t *bytes,
		      size_t len);
/* Write it behind @bytes[0..len), 4 bytes. */
void icrc_put(const struct icrc_path *path, uint8_t *bytes, size_t len);
/* The same, where the end of the bytes was summed when it was copied there. */
void icrc_put_summed(const struct icrc_path *path, uint8_t *bytes, size_t len,
		     const struct icrc_sum *sum);
/* Is the ICRC in the last 4 of @bytes[0..len) right? */
bool icrc_check(const struct icrc_path *path, const uint8_t *bytes, size_t len);
/*
 * The one IPv4 identification that makes the ICRC of @bytes[0..len) right, or
 * -EBADMSG when none does or the path is IPv6 and the ICRC is wrong.  The CRC
 * is linear: a difference of 16 known bits in the header is found again in the
 * difference of the two sums.
 */
int icrc_solve_ip_id(const struct icrc_path *path, const uint8_t *bytes,
		     size_t len, uint16_t *ip_id) MUST_USE;
/*
 * icrc_check() where the sender's IPv4 identification is not known (a UDP
 * socket does not tell it): @path->ip_id may be right, else the one that would
 * make the ICRC right is believed.  What remains is a check of 16 bits.
 */
bool icrc_check_any_id(const struct icrc_path *path, const uint8_t *bytes,
		       size_t len);

#endif
