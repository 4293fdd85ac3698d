/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The endless stream of pseudo-random bytes that bodies, guards and poison are
 * cut from: the 8 bytes at offset 8*i are mix((origin + i) ^ key), little
 * endian.  Inner part of pattern.h; runs as wide as the processor's vectors.
 */
#ifndef SUITE_ORACLE_PATTERN_STREAM_H
#define SUITE_ORACLE_PATTERN_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pattern_stream {
	uint64_t key;
	uint64_t origin; /* input of the word at offset 0 */
};

void pattern_stream_fill(const struct pattern_stream *s, uint64_t offset,
			 void *dst, size_t len);
/* True: @src holds exactly these bytes. */
bool pattern_stream_equal(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len);
/* Bytes at @src that hold the stream, from the first one on. */
size_t pattern_stream_run(const struct pattern_stream *s, uint64_t offset,
			  const void *src, size_t len);
/* The input, key removed, that makes these 8 bytes. */
uint64_t pattern_stream_input(uint64_t key, const void *bytes);

#endif
