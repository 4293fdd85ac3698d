// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fill and check of messages; what wrong bytes mean is pattern_diagnose.c. */
#include "suite/oracle/pattern.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <isa-l/crc.h>
#include <string.h>

#include "base/hash.h"
#include "base/vector.h"
#include "suite/oracle/pattern_inner.h"

/* Small enough that two passes over a block find it in the first cache. */
enum { PATTERN_BLOCK = 8192 };

static uint64_t pattern_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint32_t pattern_crc(uint32_t crc, const unsigned char *bytes,
			    size_t len)
{
	crc = crc32_gzip_refl(crc, bytes, len);
	vector_leave();
	return crc;
}

uint64_t pattern_key(uint64_t run_seed, const struct pattern_origin *origin)
{
	uint64_t who = (uint64_t)origin->end << 63 |
		       (uint64_t)origin->generation << 32 | origin->qp_index;

	return hash_mix64(run_seed + hash_mix64(who + 1));
}

static void pattern_header(const struct pattern_message *m,
			   unsigned char header[PATTERN_HEADER_BYTES])
{
	uint64_t sequence = htobe64(m->sequence);
	uint32_t magic = htobe32(PATTERN_MAGIC);
	uint32_t qp_num = htobe32(m->qp_num);

	memcpy(header, &sequence, 8);
	memcpy(header + 8, &magic, 4);
	memcpy(header + 12, &qp_num, 4);
}

/* Header and body: bytes @offset .. @offset+@len-1, before the trailer. */
static void pattern_fill_front(const struct pattern_message *m, uint64_t offset,
			       unsigned char *dst, size_t len)
{
	struct pattern_stream body = pattern_body(m);
	unsigned char header[PATTERN_HEADER_BYTES];

	if (pattern_framed(m) && offset < sizeof(header)) {
		size_t part = pattern_min(len, sizeof(header) - offset);

		pattern_header(m, header);
		memcpy(dst, header + offset, part);
		offset += part, dst += part, len -= part;
	}
	pattern_stream_fill(&body, offset, dst, len);
}

/* The checksum from nothing: only for pieces out of order. */
static uint32_t pattern_checksum(const struct pattern_message *m)
{
	unsigned char block[PATTERN_BLOCK];
	uint64_t end = pattern_body_end(m);
	uint32_t crc = 0;

	for (uint64_t at = 0; at < end; at += sizeof(block)) {
		size_t len = pattern_min(sizeof(block), end - at);

		pattern_fill_front(m, at, block, len);
		crc = pattern_crc(crc, block, len);
	}
	return crc;
}

/* As much as comes before the trailer; *@crc goes along when not NULL. */
static size_t pattern_fill_blocks(const struct pattern_message *m,
				  uint64_t offset, unsigned char *dst,
				  size_t len, uint32_t *crc)
{
	uint64_t end = pattern_body_end(m);
	size_t front = offset < end ? pattern_min(len, end - offset) : 0;

	for (size_t done = 0; done < front;) {
		size_t part = pattern_min(PATTERN_BLOCK, front - done);

		pattern_fill_front(m, offset + done, dst + done, part);
		if (crc)
			*crc = pattern_crc(*crc, dst + done, part);
		done += part;
	}
	return front;
}

static void pattern_fill_trailer(const struct pattern_message *m,
				 uint64_t offset, unsigned char *dst,
				 size_t len, uint32_t crc)
{
	uint32_t trailer = htobe32(crc);

	memcpy(dst, (const char *)&trailer + (offset - pattern_body_end(m)),
	       len);
}

void pattern_fill(const struct pattern_message *m, uint64_t offset, void *dst,
		  size_t len)
{
	uint32_t crc = 0;
	bool from_start = offset == 0;
	unsigned char *to = dst;
	size_t front;

	assert(m->sequence <= PATTERN_SEQUENCE_MAX);
	assert(m->len <= PATTERN_LEN_MAX);
	assert(offset <= m->len);
	assert(len <= m->len - offset);
	front = pattern_fill_blocks(m, offset, to, len,
				    from_start && len == m->len ? &crc : NULL);
	if (front == len)
		return;
	if (!from_start || len != m->len)
		crc = pattern_checksum(m);
	pattern_fill_trailer(m, offset + front, to + front, len - front, crc);
}

void pattern_fill_iov(const struct pattern_message *m, const struct iovec *iov,
		      size_t iov_count)
{
	uint64_t offset = 0;
	uint32_t crc = 0;

	assert(m->sequence <= PATTERN_SEQUENCE_MAX);
	assert(m->len <= PATTERN_LEN_MAX);
	for (size_t i = 0; i < iov_count && offset < m->len; i++) {
		unsigned char *to = iov[i].iov_base;
		size_t len = pattern_min(iov[i].iov_len, m->len - offset);
		size_t front;

		front = pattern_fill_blocks(m, offset, to, len, &crc);
		if (front < len)
			pattern_fill_trailer(m, offset + front, to + front,
					     len - front, crc);
		offset += len;
	}
	assert(offset == m->len);
}

/* What one pass over a received message finds. */
struct pattern_seen {
	unsigned char header[PATTERN_HEADER_BYTES];
	unsigned char trailer[PATTERN_TRAILER_BYTES];
	uint32_t crc; /* of all before the trailer, as received */
	bool body_wrong;
};

/* Copy the part of [@offset, @offset+@len) that lies in [@low, @low+@room). */
static void pattern_pick(unsigned char *to, uint64_t low, size_t room,
			 uint64_t offset, const unsigned char *src, size_t len)
{
	uint64_t from = offset > low ? offset : low;
	uint64_t end = pattern_min(offset + len, low + room);

	if (from < end)
		memcpy(to + (from - low), src + (from - offset), end - from);
}

/* Body bytes among [@offset, @offset+@len), compared. */
static bool pattern_body_equal(const struct pattern_message *m,
			       const struct pattern_stream *body,
			       uint64_t offset, const unsigned char *src,
			       size_t len)
{
	uint64_t begin = pattern_framed(m) ? PATTERN_HEADER_BYTES : 0;
	uint64_t from = offset > begin ? offset : begin;
	uint64_t end = pattern_min(offset + len, pattern_body_end(m));

	return from >= end ||
	       pattern_stream_equal(body, from, src + (from - offset),
				    end - from);
}

static void pattern_look_block(const struct pattern_message *m,
			       const struct pattern_stream *body,
			       uint64_t offset, const unsigned char *src,
			       size_t len, struct pattern_seen *seen)
{
	uint64_t end = pattern_body_end(m);

	if (!seen->body_wrong)
		seen->body_wrong =
			!pattern_body_equal(m, body, offset, src, len);
	if (!pattern_framed(m))
		return;
	if (offset < end)
		seen->crc = pattern_crc(seen->crc, src,
					pattern_min(len, end - offset));
	pattern_pick(seen->header, 0, sizeof(seen->header), offset, src, len);
	pattern_pick(seen->trailer, end, sizeof(seen->trailer), offset, src,
		     len);
}

static void pattern_look(const struct pattern_message *m,
			 const struct iovec *iov, size_t iov_count,
			 struct pattern_seen *seen)
{
	struct pattern_stream body = pattern_body(m);
	uint64_t offset = 0;

	*seen = (struct pattern_seen){ .crc = 0 };
	for (size_t i = 0; i < iov_count && offset < m->len; i++) {
		const unsigned char *src = iov[i].iov_base;
		size_t left = pattern_min(iov[i].iov_len, m->len - offset);

		while (left > 0) {
			size_t part = pattern_min(left, PATTERN_BLOCK);

			pattern_look_block(m, &body, offset, src, part, seen);
			src += part, offset += part, left -= part;
		}
	}
	assert(offset == m->len);
}

/* The checks in their order; false: nothing is wrong. */
static bool pattern_judge(const struct pattern_message *m,
			  const struct pattern_seen *seen,
			  enum pattern_kind *kind)
{
	unsigned char header[PATTERN_HEADER_BYTES];
	uint32_t trailer = htobe32(seen->crc);

	if (pattern_framed(m)) {
		pattern_header(m, header);
		*kind = PATTERN_MAGIC_WRONG;
		if (memcmp(header + 8, seen->header + 8, 4) != 0)
			return true;
		*kind = PATTERN_SEQUENCE_WRONG;
		if (memcmp(header, seen->header, 8) != 0)
			return true;
		*kind = PATTERN_QP_WRONG;
		if (memcmp(header + 12, seen->header + 12, 4) != 0)
			return true;
		*kind = PATTERN_CHECKSUM_WRONG;
		if (memcmp(&trailer, seen->trailer, sizeof(trailer)) != 0)
			return true;
	}
	*kind = PATTERN_BODY_WRONG;
	return seen->body_wrong;
}

/* Byte by byte over the whole message: the first wrong one, and how many. */
static void pattern_count(const struct pattern_message *m,
			  const struct iovec *iov, size_t iov_count,
			  struct pattern_complaint *c)
{
	unsigned char must[512], is[512];
	uint32_t crc = pattern_framed(m) ? htobe32(pattern_checksum(m)) : 0;
	uint64_t end = pattern_body_end(m);

	for (uint64_t at = 0; at < m->len; at += sizeof(must)) {
		size_t len = pattern_min(sizeof(must), m->len - at);
		size_t front = at < end ? pattern_min(len, end - at) : 0;

		pattern_fill_front(m, at, must, front);
		if (front < len)
			memcpy(must + front,
			       (const char *)&crc + (at + front - end),
			       len - front);
		pattern_gather(iov, iov_count, at, is, len);
		for (size_t i = 0; i < len; i++) {
			if (must[i] == is[i])
				continue;
			if (c->wrong_bytes++ == 0) {
				c->first_wrong = at + i;
				c->expected = must[i];
				c->found = is[i];
			}
		}
	}
}

int pattern_check(const struct pattern_message *m, const struct iovec *iov,
		  size_t iov_count, const struct pattern_context *context,
		  struct pattern_complaint *complaint)
{
	struct pattern_seen seen;
	enum pattern_kind kind;

	assert(m->sequence <= PATTERN_SEQUENCE_MAX);
	assert(m->len <= PATTERN_LEN_MAX);
	pattern_look(m, iov, iov_count, &seen);
	if (!pattern_judge(m, &seen, &kind))
		return 0;
	*complaint = (struct pattern_complaint){ .kind = kind };
	pattern_count(m, iov, iov_count, complaint);
	pattern_diagnose(m, iov, iov_count, context, complaint);
	return -EBADMSG;
}

int pattern_check_piece(const struct pattern_message *m, uint64_t offset,
			const void *piece, size_t len, uint64_t *first_wrong)
{
	const unsigned char *src = piece;
	unsigned char must[512];

	for (size_t done = 0; done < len;) {
		size_t part = pattern_min(sizeof(must), len - done);

		pattern_fill(m, offset + done, must, part);
		for (size_t i = 0; i < part; i++) {
			if (must[i] != src[done + i]) {
				*first_wrong = offset + done + i;
				return -EBADMSG;
			}
		}
		done += part;
	}
	return 0;
}

void pattern_word_origin(uint64_t key, const void *bytes, uint64_t *sequence,
			 uint64_t *offset)
{
	uint64_t input = pattern_stream_input(key, bytes);

	*sequence = input >> PATTERN_INDEX_BITS;
	*offset = (input & ((UINT64_C(1) << PATTERN_INDEX_BITS) - 1)) * 8;
}
