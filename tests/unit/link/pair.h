/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two links on loopback addresses that nobody else uses at the moment, and
 * packets to send over them.
 */
#ifndef TESTS_UNIT_LINK_PAIR_H
#define TESTS_UNIT_LINK_PAIR_H

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/prng.h"
#include "device/link/link.h"
#include "device/wire/packet.h"

enum { PAIR_PATIENCE_MS = 10000 };

static inline struct link_address pair_ipv4(uint8_t a, uint8_t b, uint8_t c,
					    uint8_t d)
{
	return (struct link_address){
		{ [10] = 0xff, [11] = 0xff, a, b, c, d }
	};
}

/* Open a link on some free address of 127.0.0.0/8. */
static inline struct link *pair_open(struct link_address *address)
{
	struct prng r;
	struct link *l = NULL;
	unsigned tries;

	prng_seed(&r, clock_now_ns() ^ (uint64_t)getpid() << 32);
	for (tries = 0; tries < 100; tries++) {
		int err;

		*address = pair_ipv4(127, (uint8_t)prng_range(&r, 1, 254),
				     (uint8_t)prng_range(&r, 1, 254),
				     (uint8_t)prng_range(&r, 1, 254));
		err = link_udp_open(address, &l);
		if (!err)
			return l;
		assert_int_equal(err, -EADDRINUSE);
	}
	fail_msg("no free address in 100 tries");
	return NULL;
}

/* Wait until @l has something; fails when it never has. */
static inline void pair_wait(struct link *l)
{
	struct pollfd p = { .fd = l->ops->fd(l), .events = POLLIN };

	assert_int_equal(poll(&p, 1, PAIR_PATIENCE_MS), 1);
}

/* A SEND_ONLY of @payload_len random bytes in @bytes (WIRE_PACKET_MAX), ready
 * to send to @to. */
static inline struct link_packet pair_packet(struct prng *r,
					     const struct link_address *to,
					     uint32_t payload_len,
					     uint8_t *bytes)
{
	struct wire_packet p = {
		.opcode = WIRE_RC_SEND_ONLY,
		.pkey = WIRE_PKEY_DEFAULT,
		.dest_qpn = (uint32_t)prng_below(r, 1 << 24),
		.psn = psn_make((uint32_t)prng_next(r)),
		.payload_len = payload_len,
	};
	size_t len = wire_packet_encode(&p, bytes);
	uint8_t *at = wire_packet_payload_at(bytes, p.opcode);
	uint32_t i;

	for (i = 0; i < payload_len; i++)
		at[i] = (uint8_t)prng_next(r);
	return (struct link_packet){
		.to = *to,
		.bytes = bytes,
		.len = (uint32_t)len,
	};
}

#endif
