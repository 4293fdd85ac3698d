/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inner loops of the payload, once for each vector unit; which one runs is
 * chosen when the first byte is made.  Inner part of pattern.h.
 *
 * Word i of a stream is mix(key + i * PATTERN_STEP): an addition a word leads
 * from one input of mix() to the next.  mix() is a bijection of the two steps
 * that every vector unit has for 64-bit lanes, shift and xor: with one step
 * more, units without wide vectors check at less than half the speed of memory.
 * The upper half of a word, where an addition alone makes neighbours differ,
 * is laid over the lower one, where it does not.  The step was searched for:
 * of two words that are apart as neighbours or packets are, a byte is equal at
 * most 8 times in 256, at every place.
 *
 * The sum of a message is taken in the same pass.  A line is eight words, one
 * for each column; a block is four lines, as long as the least MTU.  For each
 * column a += word, and behind each block b += a: a wrong word shows, and so
 * does a block in another's place.
 */
#ifndef SUITE_ORACLE_PATTERN_UNIT_H
#define SUITE_ORACLE_PATTERN_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define PATTERN_STEP UINT64_C(0x52c54e6aea9524e9)

enum {
	PATTERN_LINE = 64,
	PATTERN_COLUMNS = PATTERN_LINE / 8,
	PATTERN_BLOCK_LINES = 4,
	PATTERN_BLOCK = PATTERN_BLOCK_LINES * PATTERN_LINE,
	PATTERN_SHIFT = 32,
};

struct pattern_sum {
	uint64_t a[PATTERN_COLUMNS];
	uint64_t b[PATTERN_COLUMNS];
};

struct pattern_unit {
	const char *name;
	/* Is it in this processor? */
	bool (*there)(void);
	/* @lines lines, or @blocks blocks, of the words from input @at on. */
	void (*fill)(uint64_t at, void *dst, size_t lines);
	void (*fill_sum)(uint64_t at, void *dst, size_t blocks,
			 struct pattern_sum *sum);
	/* All bits in which @src differs from them; @sum is that of @src. */
	uint64_t (*differ)(uint64_t at, const void *src, size_t lines);
	uint64_t (*differ_sum)(uint64_t at, const void *src, size_t blocks,
			       struct pattern_sum *sum);
	/* Blocks made elsewhere. */
	void (*sum)(const void *src, size_t blocks, struct pattern_sum *sum);
};

extern const struct pattern_unit pattern_units[];
extern const size_t pattern_unit_count;

/* The one in use: the widest that is there, or the one chosen. */
const struct pattern_unit *pattern_unit(void);
/* For tests and measurements: all threads take the one called @name from now
 * on, or the widest again (NULL).  -ENOENT: it is not there. */
int pattern_unit_choose(const char *name) MUST_USE;

/* Its own inverse too: of a word it makes the input again. */
static inline uint64_t pattern_mix(uint64_t x)
{
	return x ^ x >> PATTERN_SHIFT;
}

#endif
