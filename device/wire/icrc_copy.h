/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A payload copied and summed for the ICRC in one pass: the bytes are in
 * registers once, and the sum costs no time beside their journey.
 *
 * The sum is of the payload alone.  It is added to that of the headers when
 * these are known, because the CRC is linear (icrc_put_summed()).
 */
#ifndef DEVICE_WIRE_ICRC_COPY_H
#define DEVICE_WIRE_ICRC_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* What @len bytes add to a CRC: a message of 16 bytes with the same remainder.
 * Zeroes: nothing was summed. */
struct icrc_sum {
	uint64_t folded[2];
	uint32_t len;
};

/*
 * Copy, and set *@sum.  False, and nothing was done, where the processor lacks
 * the instructions (AVX-512 and VPCLMULQDQ), or @len is no MTU, 256 to 4096.
 */
bool icrc_copy(void *to, const void *from, size_t len,
	       struct icrc_sum *sum) MUST_USE;

/* The CRC of bytes whose own is @crc, followed by those of @sum. */
uint32_t icrc_append(uint32_t crc, const struct icrc_sum *sum);

#endif
