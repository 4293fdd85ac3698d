/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packet sequence numbers: 24 bits, compared modulo 2^24.  A type of its own,
 * so that one is never added to a count or compared with < by accident.
 */
#ifndef DEVICE_WIRE_PSN_H
#define DEVICE_WIRE_PSN_H

#include <stdint.h>

#define PSN_MASK 0xffffffu

struct psn {
	uint32_t v; /* 0..PSN_MASK */
};

static inline struct psn psn_make(uint32_t v)
{
	return (struct psn){ v & PSN_MASK };
}

static inline struct psn psn_add(struct psn p, uint32_t packets)
{
	return psn_make(p.v + packets);
}

/* Packets from @from to @to: negative when @to lies behind (IBA vol. 1, 9.7:
 * valid for distances below 2^23). */
static inline int32_t psn_distance(struct psn from, struct psn to)
{
	return (int32_t)((to.v - from.v) << 8) >> 8;
}

/* Packets from @from on to @to, which does not lie behind: below 2^24, so that
 * a message may take more PSNs than can be compared. */
static inline uint32_t psn_ahead(struct psn from, struct psn to)
{
	return (to.v - from.v) & PSN_MASK;
}

/* < 0, 0, > 0 as @a is before, at, after @b. */
static inline int psn_cmp(struct psn a, struct psn b)
{
	return psn_distance(b, a);
}

#endif
