/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The endless stream of pseudo-random bytes that bodies, guards and poison are
 * cut from: the 8 bytes at offset 8*i are mix(key + (origin + i) * step),
 * little endian; mix and step are in pattern_unit.h.  Inner part of pattern.h.
 */
#ifndef SUITE_ORACLE_PATTERN_STREAM_H
#define SUITE_ORACLE_PATTERN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "suite/oracle/pattern_unit.h"

struct pattern_stream {
	uint64_t key;
	uint64_t origin; /* number of the word at offset 0 */
};

/* What mix() makes the word at @offset from. */
static inline uint64_t pattern_stream_at(const struct pattern_stream *s,
					 uint64_t offset)
{
	return s->key + (s->origin + offset / 8) * PATTERN_STEP;
}

void pattern_stream_fill(const struct pattern_stream *s, uint64_t offset,
			 void *dst, size_t len);
/* True: @src holds exactly these bytes. */
bool pattern_stream_equal(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len);
/* Bytes at @src that hold the stream, from the first one on. */
size_t pattern_stream_run(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len);
/* What an odd @factor must be multiplied with to give 1. */
static inline uint64_t pattern_inverse(uint64_t factor)
{
	uint64_t inverse = factor;

	/* Newton: each step doubles the right bits, of which 3 are right. */
	for (int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	return inverse;
}

/* The number of the word that these 8 bytes are with @key. */
uint64_t pattern_stream_input(uint64_t key, const void *bytes);

#endif
