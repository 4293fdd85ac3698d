// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Fill and check of messages; what wrong bytes mean is pattern_diagnose.c. */
#include "suite/oracle/pattern.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "suite/oracle/pattern_inner.h"
#include "suite/oracle/pattern_unit.h"

static uint64_t pattern_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The 32 bits of a sum.  The factors tell the columns apart; the last step
 * brings every bit into the upper half.
 */
static uint32_t pattern_sum_fold(const struct pattern_sum *sum)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < PATTERN_COLUMNS; i++)
		all += sum->a[i] * (PATTERN_STEP + 2 * i) +
		       sum->b[i] * (PATTERN_STEP + 256 + 2 * i);
	return (uint32_t)(hash_mix64(all) >> 32);
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

/*
 * A block as the sum sees it: cut at the trailer, filled up with zeros; its
 * length without them.
 */
static size_t pattern_block_make(const struct pattern_message *m,
				 uint64_t offset, unsigned char *block)
{
	struct pattern_stream body = pattern_body(m);
	size_t len = pattern_min(PATTERN_BLOCK, pattern_body_end(m) - offset);

	pattern_unit()->fill(pattern_stream_at(&body, offset), block,
			     PATTERN_BLOCK_LINES);
	if (offset == 0 && pattern_framed(m))
		pattern_header(m, block);
	memset(block + len, 0, PATTERN_BLOCK - len);
	return len;
}

/* The sum from nothing: only for pieces out of order. */
static uint32_t pattern_checksum(const struct pattern_message *m)
{
	unsigned char block[PATTERN_BLOCK];
	struct pattern_sum sum = { 0 };

	for (uint64_t at = 0; at < pattern_body_end(m); at += PATTERN_BLOCK) {
		pattern_block_make(m, at, block);
		pattern_unit()->sum(block, 1, &sum);
	}
	return pattern_sum_fold(&sum);
}

/* --- Walking a message block by block, over its pieces ------------------- */

struct pattern_walk {
	const struct iovec *iov;
	size_t left; /* pieces, from iov[0] on */
	size_t at;   /* bytes of iov[0] that are behind us */
};

static void pattern_walk_skip_empty(struct pattern_walk *w)
{
	while (w->left > 0 && w->at == w->iov->iov_len) {
		w->iov++;
		w->left--;
		w->at = 0;
	}
}

/* The bytes from here to the end of the piece. */
static unsigned char *pattern_walk_here(const struct pattern_walk *w,
					size_t *room)
{
	*room = w->left ? w->iov->iov_len - w->at : 0;
	return w->left ? (unsigned char *)w->iov->iov_base + w->at : NULL;
}

static void pattern_walk_copy(struct pattern_walk *w, unsigned char *bytes,
			      size_t len, bool out)
{
	while (len > 0) {
		unsigned char *here;
		size_t part;

		pattern_walk_skip_empty(w);
		here = pattern_walk_here(w, &part);
		assert(part > 0);
		part = pattern_min(part, len);
		memcpy(out ? here : bytes, out ? bytes : here, part);
		bytes += part, len -= part;
		w->at += part;
	}
}

/*
 * Whole blocks of body alone in one piece, from @offset on: those the inner
 * loops take.  The first block has the header in it, the last is cut.
 */
static size_t pattern_walk_blocks(struct pattern_walk *w, uint64_t offset,
				  uint64_t end, unsigned char **here)
{
	size_t room;

	pattern_walk_skip_empty(w);
	*here = pattern_walk_here(w, &room);
	if (offset == 0)
		return 0;
	return pattern_min(room, end - offset) / PATTERN_BLOCK;
}

void pattern_fill(const struct pattern_message *m, uint64_t offset, void *dst,
		  size_t len)
{
	uint64_t end = pattern_body_end(m);
	unsigned char *to = dst;
	size_t front;

	assert(m->sequence <= PATTERN_SEQUENCE_MAX);
	assert(m->len <= PATTERN_LEN_MAX);
	assert(offset <= m->len);
	assert(len <= m->len - offset);
	if (offset == 0 && len == m->len) {
		struct iovec whole = { dst, len };

		pattern_fill_iov(m, &whole, 1);
		return;
	}
	front = offset < end ? pattern_min(len, end - offset) : 0;
	pattern_fill_front(m, offset, to, front);
	if (front < len) {
		uint32_t trailer = htobe32(pattern_checksum(m));

		memcpy(to + front,
		       (const char *)&trailer + (offset + front - end),
		       len - front);
	}
}

void pattern_fill_iov(const struct pattern_message *m, const struct iovec *iov,
		      size_t iov_count)
{
	struct pattern_walk w = { .iov = iov, .left = iov_count };
	struct pattern_stream body = pattern_body(m);
	uint64_t end = pattern_body_end(m), offset = 0;
	unsigned char block[PATTERN_BLOCK], *here;
	struct pattern_sum sum = { 0 };
	uint32_t trailer;

	assert(m->sequence <= PATTERN_SEQUENCE_MAX);
	assert(m->len <= PATTERN_LEN_MAX);
	while (offset < end) {
		size_t blocks = pattern_walk_blocks(&w, offset, end, &here);

		if (blocks > 0) {
			pattern_unit()->fill_sum(pattern_stream_at(&body,
								   offset),
						 here, blocks, &sum);
			w.at += blocks * PATTERN_BLOCK;
			offset += blocks * PATTERN_BLOCK;
		} else {
			size_t len = pattern_block_make(m, offset, block);

			pattern_unit()->sum(block, 1, &sum);
			pattern_walk_copy(&w, block, len, true);
			offset += len;
		}
	}
	if (!pattern_framed(m))
		return;
	trailer = htobe32(pattern_sum_fold(&sum));
	pattern_walk_copy(&w, (unsigned char *)&trailer, sizeof(trailer), true);
}

/* What one pass over a received message finds. */
struct pattern_seen {
	unsigned char header[PATTERN_HEADER_BYTES];
	unsigned char trailer[PATTERN_TRAILER_BYTES];
	uint32_t sum; /* of all before the trailer, as received */
	bool body_wrong;
};

/* A block that is not body alone, or lies in several pieces. */
static size_t pattern_look_block(const struct pattern_message *m,
				 uint64_t offset, struct pattern_walk *w,
				 struct pattern_sum *sum,
				 struct pattern_seen *seen)
{
	unsigned char must[PATTERN_BLOCK], is[PATTERN_BLOCK] = { 0 };
	size_t len = pattern_block_make(m, offset, must), from = 0;

	pattern_walk_copy(w, is, len, false);
	pattern_unit()->sum(is, 1, sum);
	if (offset == 0 && pattern_framed(m)) {
		from = PATTERN_HEADER_BYTES;
		memcpy(seen->header, is, from);
	}
	if (memcmp(is + from, must + from, len - from) != 0)
		seen->body_wrong = true;
	return len;
}

static void pattern_look(const struct pattern_message *m,
			 const struct iovec *iov, size_t iov_count,
			 struct pattern_seen *seen)
{
	struct pattern_walk w = { .iov = iov, .left = iov_count };
	struct pattern_stream body = pattern_body(m);
	uint64_t end = pattern_body_end(m), offset = 0;
	struct pattern_sum sum = { 0 };
	unsigned char *here;

	seen->body_wrong = false;
	while (offset < end) {
		size_t blocks = pattern_walk_blocks(&w, offset, end, &here);

		if (blocks == 0) {
			offset += pattern_look_block(m, offset, &w, &sum, seen);
			continue;
		}
		if (pattern_unit()->differ_sum(pattern_stream_at(&body, offset),
					       here, blocks, &sum))
			seen->body_wrong = true;
		w.at += blocks * PATTERN_BLOCK;
		offset += blocks * PATTERN_BLOCK;
	}
	seen->sum = pattern_sum_fold(&sum);
	if (pattern_framed(m))
		pattern_walk_copy(&w, seen->trailer, sizeof(seen->trailer),
				  false);
}

/* The checks in their order; false: nothing is wrong. */
static bool pattern_judge(const struct pattern_message *m,
			  const struct pattern_seen *seen,
			  enum pattern_kind *kind)
{
	unsigned char header[PATTERN_HEADER_BYTES];
	uint32_t trailer = htobe32(seen->sum);

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
	uint32_t sum = pattern_framed(m) ? htobe32(pattern_checksum(m)) : 0;
	uint64_t end = pattern_body_end(m);

	for (uint64_t at = 0; at < m->len; at += sizeof(must)) {
		size_t len = pattern_min(sizeof(must), m->len - at);
		size_t front = at < end ? pattern_min(len, end - at) : 0;

		pattern_fill_front(m, at, must, front);
		if (front < len)
			memcpy(must + front,
			       (const char *)&sum + (at + front - end),
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

uint64_t pattern_place_sequence(uint64_t place)
{
	place = place * pattern_inverse(PATTERN_PLACE_SECOND) &
		PATTERN_SEQUENCE_MAX;
	place ^= place >> PATTERN_PLACE_SHIFT;
	return place * pattern_inverse(PATTERN_PLACE_FIRST) &
	       PATTERN_SEQUENCE_MAX;
}

void pattern_word_origin(uint64_t key, const void *bytes, uint64_t *sequence,
			 uint64_t *offset)
{
	uint64_t input = pattern_stream_input(key, bytes);

	*sequence = pattern_place_sequence(input >> PATTERN_INDEX_BITS);
	*offset = (input & ((UINT64_C(1) << PATTERN_INDEX_BITS) - 1)) * 8;
}
