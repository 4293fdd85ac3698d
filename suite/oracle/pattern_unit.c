// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * One body of each loop, compiled for each vector unit and chosen at run time
 * by a plain table, so that sanitizers and old loaders see nothing odd.
 */
#include "suite/oracle/pattern_unit.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

/* --- Word by word: the definition, and for machines of big endian -------- */

static bool pattern_always(void)
{
	return true;
}

static void pattern_words_fill(uint64_t at, void *dst, size_t lines)
{
	unsigned char *to = dst;

	for (size_t i = 0; i < lines * PATTERN_COLUMNS; i++) {
		uint64_t word = htole64(pattern_mix(at + i * PATTERN_STEP));

		memcpy(to + 8 * i, &word, 8);
	}
}

static uint64_t pattern_words_differ(uint64_t at, const void *src, size_t lines)
{
	const unsigned char *from = src;
	uint64_t differ = 0;

	for (size_t i = 0; i < lines * PATTERN_COLUMNS; i++) {
		uint64_t word;

		memcpy(&word, from + 8 * i, 8);
		differ |= le64toh(word) ^ pattern_mix(at + i * PATTERN_STEP);
	}
	return differ;
}

static void pattern_words_sum(const void *src, size_t blocks,
			      struct pattern_sum *sum)
{
	const unsigned char *from = src;

	for (; blocks; blocks--, from += PATTERN_BLOCK) {
		for (size_t i = 0; i < PATTERN_BLOCK / 8; i++) {
			uint64_t word;

			memcpy(&word, from + 8 * i, 8);
			sum->a[i % PATTERN_COLUMNS] += le64toh(word);
		}
		for (size_t i = 0; i < PATTERN_COLUMNS; i++)
			sum->b[i] += sum->a[i];
	}
}

static void pattern_words_fill_sum(uint64_t at, void *dst, size_t blocks,
				   struct pattern_sum *sum)
{
	pattern_words_fill(at, dst, blocks * PATTERN_BLOCK_LINES);
	pattern_words_sum(dst, blocks, sum);
}

static uint64_t pattern_words_differ_sum(uint64_t at, const void *src,
					 size_t blocks, struct pattern_sum *sum)
{
	pattern_words_sum(src, blocks, sum);
	return pattern_words_differ(at, src, blocks * PATTERN_BLOCK_LINES);
}

/* --- As vectors ---------------------------------------------------------- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* A vector of as many bytes as the unit has, so that it stays in a register,
 * and the same type anywhere in memory. */
#define PATTERN_VECTOR(bytes)                                   \
	typedef uint64_t pattern_v##bytes                       \
		__attribute__((vector_size(bytes), may_alias)); \
	typedef uint64_t pattern_u##bytes                       \
		__attribute__((vector_size(bytes), may_alias, aligned(1)))

PATTERN_VECTOR(16);
PATTERN_VECTOR(32);
PATTERN_VECTOR(64);

/* The inputs of the first line: one vector, and what the others of the line
 * add to it. */
#define PATTERN_BEGIN(bytes)                                          \
	enum { WORDS = (bytes) / 8, PARTS = PATTERN_LINE / (bytes) }; \
	pattern_v##bytes next, more[PARTS];                           \
                                                                      \
	for (int w = 0; w < WORDS; w++)                               \
		next[w] = at + (uint64_t)w * PATTERN_STEP;            \
	for (int p = 0; p < PARTS; p++)                               \
	more[p] = (pattern_v##bytes){ 0 } + (uint64_t)(p * WORDS) * PATTERN_STEP

#define PATTERN_SUM_BEGIN(bytes)             \
	pattern_v##bytes a[PARTS], b[PARTS]; \
                                             \
	memcpy(a, sum->a, sizeof(a));        \
	memcpy(b, sum->b, sizeof(b))

#define PATTERN_SUM_BLOCK                       \
	do {                                    \
		PATTERN_UNROLL                  \
		for (int p = 0; p < PARTS; p++) \
			b[p] += a[p];           \
	} while (0)

#define PATTERN_SUM_END                       \
	do {                                  \
		memcpy(sum->a, a, sizeof(a)); \
		memcpy(sum->b, b, sizeof(b)); \
	} while (0)

#define PATTERN_WORDS(bytes, p, x)           \
	pattern_v##bytes x = next + more[p]; \
                                             \
	x ^= x >> PATTERN_SHIFT

#define PATTERN_NEXT (next += PATTERN_COLUMNS * PATTERN_STEP)

#define PATTERN_LOAD(bytes, from, p) (((const pattern_u##bytes *)(from))[p])

/* All parts of a line at once: then sums stay in registers. */
#define PATTERN_UNROLL _Pragma("GCC unroll 4")

#define PATTERN_ANY(bytes, v)                   \
	({                                      \
		uint64_t any = 0;               \
                                                \
		for (int w = 0; w < WORDS; w++) \
			any |= (v)[w];          \
		any;                            \
	})

#define PATTERN_LOOPS(bytes, unit, attributes)                                 \
	attributes static void pattern_fill_##unit(uint64_t at, void *dst,     \
						   size_t lines)               \
	{                                                                      \
		unsigned char *to = dst;                                       \
		PATTERN_BEGIN(bytes);                                          \
                                                                               \
		for (; lines; lines--, to += PATTERN_LINE, PATTERN_NEXT) {     \
			PATTERN_UNROLL                                         \
			for (int p = 0; p < PARTS; p++) {                      \
				PATTERN_WORDS(bytes, p, x);                    \
				((pattern_u##bytes *)to)[p] = x;               \
			}                                                      \
		}                                                              \
	}                                                                      \
                                                                               \
	attributes static void pattern_fill_sum_##unit(                        \
		uint64_t at, void *dst, size_t blocks,                         \
		struct pattern_sum *sum)                                       \
	{                                                                      \
		unsigned char *to = dst;                                       \
		PATTERN_BEGIN(bytes);                                          \
		PATTERN_SUM_BEGIN(bytes);                                      \
                                                                               \
		for (; blocks; blocks--) {                                     \
			PATTERN_UNROLL                                         \
			for (int line = 0; line < PATTERN_BLOCK_LINES;         \
			     line++, to += PATTERN_LINE, PATTERN_NEXT) {       \
				PATTERN_UNROLL                                 \
				for (int p = 0; p < PARTS; p++) {              \
					PATTERN_WORDS(bytes, p, x);            \
					((pattern_u##bytes *)to)[p] = x;       \
					a[p] += x;                             \
				}                                              \
			}                                                      \
			PATTERN_SUM_BLOCK;                                     \
		}                                                              \
		PATTERN_SUM_END;                                               \
	}                                                                      \
                                                                               \
	attributes static uint64_t pattern_differ_##unit(                      \
		uint64_t at, const void *src, size_t lines)                    \
	{                                                                      \
		const unsigned char *from = src;                               \
		pattern_v##bytes differ = { 0 };                               \
		PATTERN_BEGIN(bytes);                                          \
                                                                               \
		for (; lines; lines--, from += PATTERN_LINE, PATTERN_NEXT) {   \
			PATTERN_UNROLL                                         \
			for (int p = 0; p < PARTS; p++) {                      \
				PATTERN_WORDS(bytes, p, x);                    \
				differ |= x ^                                  \
					  ((const pattern_u##bytes *)from)[p]; \
			}                                                      \
		}                                                              \
		return PATTERN_ANY(bytes, differ);                             \
	}                                                                      \
                                                                               \
	attributes static uint64_t pattern_differ_sum_##unit(                  \
		uint64_t at, const void *src, size_t blocks,                   \
		struct pattern_sum *sum)                                       \
	{                                                                      \
		const unsigned char *from = src;                               \
		pattern_v##bytes differ = { 0 };                               \
		PATTERN_BEGIN(bytes);                                          \
		PATTERN_SUM_BEGIN(bytes);                                      \
                                                                               \
		for (; blocks; blocks--) {                                     \
			PATTERN_UNROLL                                         \
			for (int line = 0; line < PATTERN_BLOCK_LINES;         \
			     line++, from += PATTERN_LINE, PATTERN_NEXT) {     \
				PATTERN_UNROLL                                 \
				for (int p = 0; p < PARTS; p++) {              \
					pattern_v##bytes is =                  \
						PATTERN_LOAD(bytes, from, p);  \
					PATTERN_WORDS(bytes, p, x);            \
					differ |= x ^ is;                      \
					a[p] += is;                            \
				}                                              \
			}                                                      \
			PATTERN_SUM_BLOCK;                                     \
		}                                                              \
		PATTERN_SUM_END;                                               \
		return PATTERN_ANY(bytes, differ);                             \
	}

#define PATTERN_SUM_LOOP(bytes, unit, attributes)                             \
	attributes static void pattern_sum_##unit(                            \
		const void *src, size_t blocks, struct pattern_sum *sum)      \
	{                                                                     \
		enum { PARTS = PATTERN_LINE / (bytes) };                      \
		const unsigned char *from = src;                              \
		PATTERN_SUM_BEGIN(bytes);                                     \
                                                                              \
		for (; blocks; blocks--) {                                    \
			PATTERN_UNROLL                                        \
			for (int line = 0; line < PATTERN_BLOCK_LINES;        \
			     line++, from += PATTERN_LINE) {                  \
				PATTERN_UNROLL                                \
				for (int p = 0; p < PARTS; p++)               \
					a[p] += PATTERN_LOAD(bytes, from, p); \
			}                                                     \
			PATTERN_SUM_BLOCK;                                    \
		}                                                             \
		PATTERN_SUM_END;                                              \
	}

PATTERN_LOOPS(16, plain, )
PATTERN_SUM_LOOP(16, plain, )

#ifdef __x86_64__
PATTERN_LOOPS(32, avx2, __attribute__((target("avx2"))))
PATTERN_SUM_LOOP(32, avx2, __attribute__((target("avx2"))))
PATTERN_LOOPS(64, avx512, __attribute__((target("avx512f"))))
PATTERN_SUM_LOOP(64, avx512, __attribute__((target("avx512f"))))

static bool pattern_has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

static bool pattern_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}
#endif
#endif

/* --- The table, widest first --------------------------------------------- */

#define PATTERN_UNIT(unit, has)                                           \
	{                                                                 \
#unit, has, pattern_fill_##unit, pattern_fill_sum_##unit, \
			pattern_differ_##unit, pattern_differ_sum_##unit, \
			pattern_sum_##unit                                \
	}

const struct pattern_unit pattern_units[] = {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#ifdef __x86_64__
	PATTERN_UNIT(avx512, pattern_has_avx512),
	PATTERN_UNIT(avx2, pattern_has_avx2),
#endif
	PATTERN_UNIT(plain, pattern_always),
#endif
	{ "words", pattern_always, pattern_words_fill, pattern_words_fill_sum,
	  pattern_words_differ, pattern_words_differ_sum, pattern_words_sum },
};

const size_t pattern_unit_count = ARRAY_SIZE(pattern_units);

static const struct pattern_unit *pattern_chosen;

const struct pattern_unit *pattern_unit(void)
{
	const struct pattern_unit *unit =
		__atomic_load_n(&pattern_chosen, __ATOMIC_RELAXED);

	if (unit)
		return unit;
	unit = pattern_units;
	while (!unit->there())
		unit++;
	__atomic_store_n(&pattern_chosen, unit, __ATOMIC_RELAXED);
	return unit;
}

int pattern_unit_choose(const char *name)
{
	for (size_t i = 0; name && i < pattern_unit_count; i++) {
		const struct pattern_unit *unit = &pattern_units[i];

		if (strcmp(unit->name, name) != 0 || !unit->there())
			continue;
		__atomic_store_n(&pattern_chosen, unit, __ATOMIC_RELAXED);
		return 0;
	}
	if (name)
		return -ENOENT;
	__atomic_store_n(&pattern_chosen, NULL, __ATOMIC_RELAXED);
	return 0;
}
