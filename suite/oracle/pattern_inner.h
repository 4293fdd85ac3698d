/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of pattern.h share: the body's stream, walking the pieces. */
#ifndef SUITE_ORACLE_PATTERN_INNER_H
#define SUITE_ORACLE_PATTERN_INNER_H

#include "suite/oracle/pattern.h"
#include "suite/oracle/pattern_stream.h"

enum {
	PATTERN_INDEX_BITS = 28,
	PATTERN_PLACE_BITS = 64 - PATTERN_INDEX_BITS,
	PATTERN_PLACE_SHIFT = PATTERN_PLACE_BITS / 2,
};

/* Any odd numbers. */
#define PATTERN_PLACE_FIRST  UINT64_C(0x9a6b4f8d3)
#define PATTERN_PLACE_SECOND UINT64_C(0xd1c36e5b7)

/*
 * Where in the whole stream of a key a message has its words, in units of
 * 2^PATTERN_INDEX_BITS.  Sequences that share their low bits must not share
 * those of their places: through a word's addition these go upwards only, and
 * a byte in the middle would be the same in both messages.  A bijection.
 */
static inline uint64_t pattern_place(uint64_t sequence)
{
	uint64_t place = sequence * PATTERN_PLACE_FIRST & PATTERN_SEQUENCE_MAX;

	place ^= place >> PATTERN_PLACE_SHIFT;
	return place * PATTERN_PLACE_SECOND & PATTERN_SEQUENCE_MAX;
}

/* The sequence of the message that has that place. */
uint64_t pattern_place_sequence(uint64_t place);

static inline struct pattern_stream pattern_body_of(uint64_t key,
						    uint64_t sequence)
{
	return (struct pattern_stream){
		.key = key,
		.origin = pattern_place(sequence) << PATTERN_INDEX_BITS,
	};
}

static inline struct pattern_stream
pattern_body(const struct pattern_message *m)
{
	return pattern_body_of(m->key, m->sequence);
}

static inline bool pattern_framed(const struct pattern_message *m)
{
	return m->len >= PATTERN_FRAMED_MIN;
}

static inline uint64_t pattern_body_end(const struct pattern_message *m)
{
	return pattern_framed(m) ? m->len - PATTERN_TRAILER_BYTES : m->len;
}

/* Copy @len bytes at @offset of the message out of its pieces. */
void pattern_gather(const struct iovec *iov, size_t iov_count, uint64_t offset,
		    void *dst, size_t len);
/* Bytes from @offset on, at most @len, that still hold the poison. */
uint64_t pattern_gather_poison(const struct iovec *iov, size_t iov_count,
			       uint64_t offset, uint64_t len);

/* Fill in where the wrong bytes from @c->first_wrong on came from. */
void pattern_diagnose(const struct pattern_message *m, const struct iovec *iov,
		      size_t iov_count, const struct pattern_context *context,
		      struct pattern_complaint *c);

#endif
