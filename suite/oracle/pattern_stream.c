// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Streams cut to what the inner loops take: whole lines; what is left over at
 * both ends goes word by word.
 */
#include "suite/oracle/pattern_stream.h"

#include <endian.h>
#include <string.h>

#include "suite/oracle/pattern_unit.h"

/* The word at @offset / 8, as it stands in memory. */
static uint64_t pattern_word(const struct pattern_stream *s, uint64_t offset)
{
	return htole64(pattern_mix(pattern_stream_at(s, offset)));
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
 * across two costs twice), whole lines, the rest.
 */
struct pattern_cut {
	size_t head, words, lines, tail;
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
	cut.lines = len / PATTERN_LINE * PATTERN_LINE;
	cut.tail = len - cut.lines;
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
	pattern_unit()->fill(pattern_stream_at(s, offset), to,
			     cut.lines / PATTERN_LINE);
	to += cut.lines, offset += cut.lines;
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
	if (pattern_unit()->differ(pattern_stream_at(s, offset), at,
				   cut.lines / PATTERN_LINE))
		return false;
	at += cut.lines, offset += cut.lines;
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
	return (pattern_mix(le64toh(word)) - key) *
	       pattern_inverse(PATTERN_STEP);
}
