// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The mix uses shifts, adds and xors only: these exist for 64-bit lanes in
 * every vector unit, a 64-bit multiply does not.  One body is compiled once for
 * each unit and chosen at run time by a plain test, so that sanitizers and old
 * loaders see nothing odd.
 */
#include "suite/oracle/pattern_stream.h"

#include <endian.h>
#include <string.h>

#include "base/compiler.h"

/*
 * Each line is a bijection.  The shifts were searched for: between inputs that
 * differ as neighbouring words or messages do, a byte is equal about once in
 * 256, at every place.
 */
#define PATTERN_MIX(x)            \
	do {                      \
		(x) += (x) << 34; \
		(x) ^= (x) >> 26; \
		(x) += (x) << 6;  \
		(x) ^= (x) >> 13; \
		(x) += (x) << 31; \
	} while (0)

/*
 * A vector of as many bytes as the unit has, so that it stays in a register,
 * and the same type anywhere in memory.
 */
#define PATTERN_VECTOR(bytes)                                   \
	typedef uint64_t pattern_v##bytes                       \
		__attribute__((vector_size(bytes), may_alias)); \
	typedef uint64_t pattern_u##bytes                       \
		__attribute__((vector_size(bytes), may_alias, aligned(1)))

PATTERN_VECTOR(16);
PATTERN_VECTOR(32);
PATTERN_VECTOR(64);

/* Work comes in blocks of this many bytes, a cache line. */
enum { PATTERN_LINE = 64 };

static inline uint64_t pattern_mix(uint64_t x)
{
	PATTERN_MIX(x);
	return x;
}

/* Undo x ^= x >> shift. */
static uint64_t pattern_unxor(uint64_t x, unsigned shift)
{
	for (unsigned by = shift; by < 64; by *= 2)
		x ^= x >> by;
	return x;
}

/* Undo x += x << shift, which is x *= 1 + 2^shift. */
static uint64_t pattern_unadd(uint64_t x, unsigned shift)
{
	uint64_t factor = 1 + (UINT64_C(1) << shift);
	uint64_t inverse = factor;

	/* Newton: each step doubles the right bits, of which 3 are right. */
	for (int i = 0; i < 5; i++)
		inverse *= 2 - factor * inverse;
	return x * inverse;
}

static uint64_t pattern_unmix(uint64_t x)
{
	x = pattern_unadd(x, 31);
	x = pattern_unxor(x, 13);
	x = pattern_unadd(x, 6);
	x = pattern_unxor(x, 26);
	return pattern_unadd(x, 34);
}

/* Whole blocks: words @input .. of the stream into @dst. */
#define PATTERN_FILL_BODY(bytes)                                    \
	pattern_v##bytes at;                                        \
                                                                    \
	for (int lane = 0; lane < bytes / 8; lane++)                \
		at[lane] = input + (uint64_t)lane;                  \
	for (size_t i = 0; i < blocks * PATTERN_LINE; i += bytes) { \
		pattern_v##bytes x = at ^ key;                      \
                                                                    \
		PATTERN_MIX(x);                                     \
		*(pattern_u##bytes *)(dst + i) = x;                 \
		at += bytes / 8;                                    \
	}

/* All bits that differ, over whole blocks. */
#define PATTERN_DIFFER_BODY(bytes)                                  \
	pattern_v##bytes at, differ = { 0 };                        \
	uint64_t any = 0;                                           \
                                                                    \
	for (int lane = 0; lane < bytes / 8; lane++)                \
		at[lane] = input + (uint64_t)lane;                  \
	for (size_t i = 0; i < blocks * PATTERN_LINE; i += bytes) { \
		pattern_v##bytes x = at ^ key;                      \
                                                                    \
		PATTERN_MIX(x);                                     \
		differ |= x ^ *(const pattern_u##bytes *)(src + i); \
		at += bytes / 8;                                    \
	}                                                           \
	for (int lane = 0; lane < bytes / 8; lane++)                \
		any |= differ[lane];                                \
	return any

#define PATTERN_FILL_ARGS \
	uint64_t input, uint64_t key, unsigned char *dst, size_t blocks
#define PATTERN_DIFFER_ARGS \
	uint64_t input, uint64_t key, const unsigned char *src, size_t blocks

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PATTERN_WIDE 1

static void pattern_fill_any(PATTERN_FILL_ARGS)
{
	PATTERN_FILL_BODY(16)
}

static uint64_t pattern_differ_any(PATTERN_DIFFER_ARGS)
{
	PATTERN_DIFFER_BODY(16);
}

#ifdef __x86_64__
#define PATTERN_X86 1

__attribute__((target("avx2"))) static void pattern_fill_avx2(PATTERN_FILL_ARGS)
{
	PATTERN_FILL_BODY(32)
}

__attribute__((target("avx2"))) static uint64_t
pattern_differ_avx2(PATTERN_DIFFER_ARGS)
{
	PATTERN_DIFFER_BODY(32);
}

__attribute__((target("avx512f"))) static void
pattern_fill_avx512(PATTERN_FILL_ARGS)
{
	PATTERN_FILL_BODY(64)
}

__attribute__((target("avx512f"))) static uint64_t
pattern_differ_avx512(PATTERN_DIFFER_ARGS)
{
	PATTERN_DIFFER_BODY(64);
}
#endif

static void pattern_blocks_fill(PATTERN_FILL_ARGS)
{
#ifdef PATTERN_X86
	if (__builtin_cpu_supports("avx512f"))
		pattern_fill_avx512(input, key, dst, blocks);
	else if (__builtin_cpu_supports("avx2"))
		pattern_fill_avx2(input, key, dst, blocks);
	else
#endif
		pattern_fill_any(input, key, dst, blocks);
}

static uint64_t pattern_blocks_differ(PATTERN_DIFFER_ARGS)
{
#ifdef PATTERN_X86
	if (__builtin_cpu_supports("avx512f"))
		return pattern_differ_avx512(input, key, src, blocks);
	if (__builtin_cpu_supports("avx2"))
		return pattern_differ_avx2(input, key, src, blocks);
#endif
	return pattern_differ_any(input, key, src, blocks);
}
#else
/* Big endian: word by word, below. */
#define PATTERN_WIDE 0
static void pattern_blocks_fill(PATTERN_FILL_ARGS)
{
}

static uint64_t pattern_blocks_differ(PATTERN_DIFFER_ARGS)
{
	return 0;
}
#endif

/* The word at @offset / 8, as it stands in memory. */
static uint64_t pattern_word(const struct pattern_stream *s, uint64_t offset)
{
	return htole64(pattern_mix((s->origin + offset / 8) ^ s->key));
}

/* Word by word; @offset is a multiple of 8. */
static void pattern_words_fill(const struct pattern_stream *s, uint64_t offset,
			       unsigned char *dst, size_t len)
{
	uint64_t word;

	for (; len >= 8; dst += 8, offset += 8, len -= 8) {
		word = pattern_word(s, offset);
		memcpy(dst, &word, 8);
	}
	if (len > 0) {
		word = pattern_word(s, offset);
		memcpy(dst, &word, len);
	}
}

static bool pattern_words_equal(const struct pattern_stream *s, uint64_t offset,
				const unsigned char *src, size_t len)
{
	uint64_t differ = 0, word, is;

	for (; len >= 8; src += 8, offset += 8, len -= 8) {
		memcpy(&is, src, 8);
		differ |= is ^ pattern_word(s, offset);
	}
	if (len > 0) {
		word = pattern_word(s, offset);
		differ |= (uint64_t)memcmp(src, &word, len);
	}
	return differ == 0;
}

/*
 * How a range is cut: bytes up to a word, words up to a cache line (an access
 * across two costs twice), whole blocks, the rest.
 */
struct pattern_cut {
	size_t head, words, blocks, tail;
};

static struct pattern_cut pattern_cut(uint64_t offset, const void *memory,
				      size_t len)
{
	struct pattern_cut cut = { .head = -offset % 8 };
	uintptr_t at;

	if (cut.head > len)
		cut.head = len;
	len -= cut.head;
	at = (uintptr_t)memory + cut.head;
	if (at % 8 == 0 && len >= 8 * PATTERN_LINE)
		cut.words = -at % PATTERN_LINE;
	len -= cut.words;
	if (PATTERN_WIDE)
		cut.blocks = len / PATTERN_LINE * PATTERN_LINE;
	cut.tail = len - cut.blocks;
	return cut;
}

void pattern_stream_fill(const struct pattern_stream *s, uint64_t offset,
			 void *dst, size_t len)
{
	struct pattern_cut cut = pattern_cut(offset, dst, len);
	unsigned char *to = dst;

	if (len == 0)
		return;
	if (cut.head > 0) {
		uint64_t word = pattern_word(s, offset);

		memcpy(to, (const char *)&word + offset % 8, cut.head);
		to += cut.head, offset += cut.head;
	}
	pattern_words_fill(s, offset, to, cut.words);
	to += cut.words, offset += cut.words;
	pattern_blocks_fill(s->origin + offset / 8, s->key, to,
			    cut.blocks / PATTERN_LINE);
	to += cut.blocks, offset += cut.blocks;
	pattern_words_fill(s, offset, to, cut.tail);
}

bool pattern_stream_equal(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len)
{
	struct pattern_cut cut = pattern_cut(offset, src, len);
	const unsigned char *at = src;

	if (len == 0)
		return true;
	if (cut.head > 0) {
		uint64_t word = pattern_word(s, offset);

		if (memcmp(at, (const char *)&word + offset % 8, cut.head))
			return false;
		at += cut.head, offset += cut.head;
	}
	if (!pattern_words_equal(s, offset, at, cut.words))
		return false;
	at += cut.words, offset += cut.words;
	if (pattern_blocks_differ(s->origin + offset / 8, s->key, at,
				  cut.blocks / PATTERN_LINE))
		return false;
	at += cut.blocks, offset += cut.blocks;
	return pattern_words_equal(s, offset, at, cut.tail);
}

size_t pattern_stream_run(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len)
{
	const unsigned char *at = src;
	size_t done = 0;

	while (done < len) {
		uint64_t word = pattern_word(s, offset + done);
		const unsigned char *bytes = (const unsigned char *)&word;

		if (at[done] != bytes[(offset + done) % 8])
			break;
		done++;
	}
	return done;
}

uint64_t pattern_stream_input(uint64_t key, const void *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return pattern_unmix(le64toh(word)) ^ key;
}
