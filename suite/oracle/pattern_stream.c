// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The mix uses shifts, adds and xors only: these exist for 64-bit lanes in
 * every vector unit, a 64-bit multiply does not.  One body, written with
 * vectors of eight words, is compiled once for each unit and chosen at run
 * time by a plain test, so that sanitizers and old loaders see nothing odd.
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

enum { PATTERN_LANES = 8, PATTERN_VECTOR = 8 * PATTERN_LANES };

typedef uint64_t pattern_lanes
	__attribute__((vector_size(PATTERN_VECTOR), may_alias));
/* The same anywhere in memory. */
typedef uint64_t pattern_unaligned
	__attribute__((vector_size(PATTERN_VECTOR), may_alias, aligned(1)));

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

/* Whole vectors: words @input .. of the stream into @dst. */
#define PATTERN_FILL_BODY                                             \
	pattern_lanes at = { 0, 1, 2, 3, 4, 5, 6, 7 };                \
                                                                      \
	at += input;                                                  \
	for (size_t i = 0; i < vectors; i++) {                        \
		pattern_lanes x = at ^ key;                           \
                                                                      \
		PATTERN_MIX(x);                                       \
		*(pattern_unaligned *)(dst + i * PATTERN_VECTOR) = x; \
		at += PATTERN_LANES;                                  \
	}

/* All bits that differ, over whole vectors. */
#define PATTERN_DIFFER_BODY                                                  \
	pattern_lanes at = { 0, 1, 2, 3, 4, 5, 6, 7 };                       \
	pattern_lanes differ = { 0 };                                        \
	uint64_t any = 0;                                                    \
                                                                             \
	at += input;                                                         \
	for (size_t i = 0; i < vectors; i++) {                               \
		pattern_lanes x = at ^ key;                                  \
                                                                             \
		PATTERN_MIX(x);                                              \
		x ^= *(const pattern_unaligned *)(src + i * PATTERN_VECTOR); \
		differ |= x;                                                 \
		at += PATTERN_LANES;                                         \
	}                                                                    \
	for (int i = 0; i < PATTERN_LANES; i++)                              \
		any |= differ[i];                                            \
	return any

#define PATTERN_FILL_ARGS \
	uint64_t input, uint64_t key, unsigned char *dst, size_t vectors
#define PATTERN_DIFFER_ARGS \
	uint64_t input, uint64_t key, const unsigned char *src, size_t vectors

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PATTERN_VECTORS 1

static void pattern_fill_any(PATTERN_FILL_ARGS)
{
	PATTERN_FILL_BODY
}

static uint64_t pattern_differ_any(PATTERN_DIFFER_ARGS)
{
	PATTERN_DIFFER_BODY;
}

#ifdef __x86_64__
#define PATTERN_X86 1

__attribute__((target("avx2"))) static void pattern_fill_avx2(PATTERN_FILL_ARGS)
{
	PATTERN_FILL_BODY
}

__attribute__((target("avx2"))) static uint64_t
pattern_differ_avx2(PATTERN_DIFFER_ARGS)
{
	PATTERN_DIFFER_BODY;
}

__attribute__((target("avx512f"))) static void
pattern_fill_avx512(PATTERN_FILL_ARGS)
{
	PATTERN_FILL_BODY
}

__attribute__((target("avx512f"))) static uint64_t
pattern_differ_avx512(PATTERN_DIFFER_ARGS)
{
	PATTERN_DIFFER_BODY;
}
#endif

static void pattern_vectors_fill(PATTERN_FILL_ARGS)
{
#ifdef PATTERN_X86
	if (__builtin_cpu_supports("avx512f"))
		pattern_fill_avx512(input, key, dst, vectors);
	else if (__builtin_cpu_supports("avx2"))
		pattern_fill_avx2(input, key, dst, vectors);
	else
#endif
		pattern_fill_any(input, key, dst, vectors);
}

static uint64_t pattern_vectors_differ(PATTERN_DIFFER_ARGS)
{
#ifdef PATTERN_X86
	if (__builtin_cpu_supports("avx512f"))
		return pattern_differ_avx512(input, key, src, vectors);
	if (__builtin_cpu_supports("avx2"))
		return pattern_differ_avx2(input, key, src, vectors);
#endif
	return pattern_differ_any(input, key, src, vectors);
}
#else
/* Big endian: word by word, below. */
#define PATTERN_VECTORS 0
static void pattern_vectors_fill(PATTERN_FILL_ARGS)
{
}

static uint64_t pattern_vectors_differ(PATTERN_DIFFER_ARGS)
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
	for (size_t done = 0; done < len; done += 8) {
		uint64_t word = pattern_word(s, offset + done);

		memcpy(dst + done, &word, len - done < 8 ? len - done : 8);
	}
}

static bool pattern_words_equal(const struct pattern_stream *s, uint64_t offset,
				const unsigned char *src, size_t len)
{
	for (size_t done = 0; done < len; done += 8) {
		uint64_t word = pattern_word(s, offset + done);

		if (memcmp(src + done, &word, len - done < 8 ? len - done : 8))
			return false;
	}
	return true;
}

/*
 * How a range is cut: bytes up to a word, words up to a whole vector in
 * memory (an access across cache lines costs twice), vectors, the rest.
 */
struct pattern_cut {
	size_t head, words, vectors, tail;
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
	if (at % 8 == 0 && len >= 8 * PATTERN_VECTOR)
		cut.words = -at % PATTERN_VECTOR;
	len -= cut.words;
	if (PATTERN_VECTORS)
		cut.vectors = len / PATTERN_VECTOR * PATTERN_VECTOR;
	cut.tail = len - cut.vectors;
	return cut;
}

void pattern_stream_fill(const struct pattern_stream *s, uint64_t offset,
			 void *dst, size_t len)
{
	struct pattern_cut cut = pattern_cut(offset, dst, len);
	unsigned char *to = dst;

	if (cut.head > 0) {
		uint64_t word = pattern_word(s, offset);

		memcpy(to, (const char *)&word + offset % 8, cut.head);
		to += cut.head, offset += cut.head;
	}
	pattern_words_fill(s, offset, to, cut.words);
	to += cut.words, offset += cut.words;
	pattern_vectors_fill(s->origin + offset / 8, s->key, to,
			     cut.vectors / PATTERN_VECTOR);
	to += cut.vectors, offset += cut.vectors;
	pattern_words_fill(s, offset, to, cut.tail);
}

bool pattern_stream_equal(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len)
{
	struct pattern_cut cut = pattern_cut(offset, src, len);
	const unsigned char *at = src;

	if (cut.head > 0) {
		uint64_t word = pattern_word(s, offset);

		if (memcmp(at, (const char *)&word + offset % 8, cut.head))
			return false;
		at += cut.head, offset += cut.head;
	}
	if (!pattern_words_equal(s, offset, at, cut.words))
		return false;
	at += cut.words, offset += cut.words;
	if (pattern_vectors_differ(s->origin + offset / 8, s->key, at,
				   cut.vectors / PATTERN_VECTOR))
		return false;
	at += cut.vectors, offset += cut.vectors;
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
