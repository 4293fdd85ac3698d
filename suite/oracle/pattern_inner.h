/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of pattern.h share: the body's stream, walking the pieces. */
#ifndef SUITE_ORACLE_PATTERN_INNER_H
#define SUITE_ORACLE_PATTERN_INNER_H

#include "suite/oracle/pattern.h"
#include "suite/oracle/pattern_stream.h"

enum { PATTERN_INDEX_BITS = 28 };

static inline struct pattern_stream
pattern_body(const struct pattern_message *m)
{
	return (struct pattern_stream){
		.key = m->key,
		.origin = m->sequence << PATTERN_INDEX_BITS,
	};
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
