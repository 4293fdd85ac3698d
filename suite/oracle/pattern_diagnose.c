// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Where do wrong bytes come from?  The body's mix is turned back on every
 * eight of them near the first one, at each of the eight phases, with the key
 * of each sender known; an origin counts when it is plausible and the next
 * eight bytes continue it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "suite/oracle/pattern.h"
#include "suite/oracle/pattern_inner.h"

enum {
	/* Looked at from the first wrong byte on. */
	PATTERN_WINDOW = 512,
	/* Starting points tried: past a header, a word, and some to spare. */
	PATTERN_STARTS = 96,
	/* A piece of the same message that moved forward by a multiple of the
	 * least MTU is a packet placed twice. */
	PATTERN_PACKET = 256,
	/* How far a message of the same sender may be off. */
	PATTERN_NEAR = 1 << 20,
	/* Neighbours tried byte by byte when no word can be turned back. */
	PATTERN_NEIGHBOURS = 64,
};

struct pattern_scene {
	const struct pattern_message *m;
	const struct pattern_context *context;
	uint64_t at; /* offset of window[0] */
	size_t len;
	/* Wrong bytes from the window's start to the next eight right ones. */
	size_t run;
	unsigned char window[PATTERN_WINDOW];
};

/* One hypothesis: these eight bytes are of @sequence at @offset of @key. */
struct pattern_source {
	uint64_t key;
	uint64_t sequence;
	uint64_t offset;
};

static size_t pattern_run_length(const struct pattern_message *m,
				 const struct pattern_scene *s)
{
	unsigned char must[PATTERN_WINDOW];
	size_t right = 0;

	pattern_fill(m, s->at, must, s->len);
	for (size_t i = 0; i < s->len; i++) {
		right = must[i] == s->window[i] ? right + 1 : 0;
		if (right == 8)
			return i + 1 - right;
	}
	return s->len - right;
}

static struct pattern_source pattern_turn_back(uint64_t key,
					       const unsigned char *bytes)
{
	struct pattern_source source = { .key = key };

	pattern_word_origin(key, bytes, &source.sequence, &source.offset);
	return source;
}

static bool pattern_plausible(const struct pattern_message *m,
			      const struct pattern_source *source)
{
	uint64_t near = m->sequence > source->sequence
				? m->sequence - source->sequence
				: source->sequence - m->sequence;

	if (source->offset >= m->len && source->offset >= UINT64_C(1) << 26)
		return false;
	return source->key == m->key ? near < PATTERN_NEAR
				     : source->sequence < UINT64_C(1) << 27;
}

/* Do the bytes at @i of the window come from somewhere else with @key? */
static bool pattern_explain(const struct pattern_scene *s, size_t i,
			    uint64_t key, struct pattern_source *source)
{
	struct pattern_source next;

	*source = pattern_turn_back(key, s->window + i);
	if (!pattern_plausible(s->m, source))
		return false;
	/* At home: these bytes are right. */
	if (key == s->m->key && source->sequence == s->m->sequence &&
	    source->offset == s->at + i)
		return false;
	if (i + 16 > s->len || s->run < 16)
		return true;
	next = pattern_turn_back(key, s->window + i + 8);
	return next.sequence == source->sequence &&
	       next.offset == source->offset + 8;
}

static const struct pattern_known *
pattern_known_by_key(const struct pattern_context *context, uint64_t key)
{
	for (size_t i = 0; context && i < context->known_count; i++)
		if (context->known[i].key == key)
			return &context->known[i];
	return NULL;
}

static void pattern_conclude(const struct pattern_scene *s, uint64_t at,
			     const struct pattern_source *source,
			     struct pattern_complaint *c)
{
	const struct pattern_known *known =
		pattern_known_by_key(s->context, source->key);

	c->at = at;
	c->source_sequence = source->sequence;
	c->source_offset = source->offset;
	c->shift = (int64_t)(at - source->offset);
	if (source->key != s->m->key && known) {
		const struct pattern_origin *us = &s->context->expected;

		c->source = known->origin;
		c->diagnosis = known->origin.end == us->end &&
					       known->origin.qp_index ==
						       us->qp_index
				       ? PATTERN_IS_STALE
				       : PATTERN_IS_OTHER_QP;
	} else if (source->sequence != s->m->sequence) {
		c->diagnosis = PATTERN_IS_OTHER_MESSAGE;
	} else if (c->shift > 0 && c->shift % PATTERN_PACKET == 0) {
		c->diagnosis = PATTERN_IS_DUPLICATE_PACKET;
	} else {
		c->diagnosis = PATTERN_IS_SHIFTED;
	}
}

/* The key of the message itself, then those of the others. */
static uint64_t pattern_candidate(const struct pattern_scene *s, size_t n)
{
	return n == 0 ? s->m->key : s->context->known[n - 1].key;
}

static bool pattern_by_words(const struct pattern_scene *s,
			     struct pattern_complaint *c)
{
	size_t keys = 1 + (s->context ? s->context->known_count : 0);
	struct pattern_source source;

	for (size_t i = 0; i < PATTERN_STARTS && i + 8 <= s->len; i++) {
		/* Beyond the wrong run another fault may begin: not this. */
		if (i > s->run)
			break;
		for (size_t k = 0; k < keys; k++) {
			if (!pattern_explain(s, i, pattern_candidate(s, k),
					     &source))
				continue;
			pattern_conclude(s, s->at + i, &source, c);
			return true;
		}
	}
	return false;
}

/* The message is too short for words: compare it with its neighbours. */
static bool pattern_by_neighbours(const struct pattern_scene *s,
				  struct pattern_complaint *c)
{
	size_t keys = 1 + (s->context ? s->context->known_count : 0);
	uint64_t end = pattern_body_end(s->m);
	/* Without the trailer, which is no part of the stream. */
	size_t run = s->at + s->run > end ? end - s->at : s->run;

	if (s->at >= end || run < 3)
		return false;
	for (size_t k = 0; k < keys; k++) {
		uint64_t key = pattern_candidate(s, k);
		uint64_t first = s->m->sequence > PATTERN_NEIGHBOURS
					 ? s->m->sequence - PATTERN_NEIGHBOURS
					 : 0;

		for (uint64_t n = first; n < first + 2 * PATTERN_NEIGHBOURS;
		     n++) {
			struct pattern_source source = { key, n, s->at };
			struct pattern_stream body = pattern_body_of(key, n);

			if (!pattern_stream_equal(&body, s->at, s->window, run))
				continue;
			pattern_conclude(s, s->at, &source, c);
			return true;
		}
	}
	return false;
}

static size_t pattern_zeros(const struct pattern_scene *s)
{
	size_t n = 0;

	while (n < s->len && s->window[n] == 0)
		n++;
	return n;
}

static void pattern_scene_open(struct pattern_scene *s, const struct iovec *iov,
			       size_t iov_count, uint64_t at)
{
	uint64_t left = s->m->len - at;

	s->at = at;
	s->len = left < PATTERN_WINDOW ? left : PATTERN_WINDOW;
	pattern_gather(iov, iov_count, at, s->window, s->len);
	s->run = pattern_run_length(s->m, s);
}

/* Headers of different messages share bytes; bodies tell.  From a fault in
 * the header move on to the first wrong byte of the body near it, if any. */
static void pattern_scene_to_body(struct pattern_scene *s,
				  const struct iovec *iov, size_t iov_count)
{
	uint64_t first;

	if (!pattern_framed(s->m) || s->at >= PATTERN_HEADER_BYTES)
		return;
	pattern_scene_open(s, iov, iov_count, PATTERN_HEADER_BYTES);
	if (pattern_check_piece(s->m, s->at, s->window, s->len, &first))
		pattern_scene_open(s, iov, iov_count, first);
}

void pattern_diagnose(const struct pattern_message *m, const struct iovec *iov,
		      size_t iov_count, const struct pattern_context *context,
		      struct pattern_complaint *c)
{
	struct pattern_scene s = { .m = m, .context = context };
	uint64_t hole;
	size_t least;

	c->diagnosis = PATTERN_IS_UNKNOWN;
	c->at = c->first_wrong;
	if (c->wrong_bytes == 1 &&
	    __builtin_popcount(c->expected ^ c->found) == 1) {
		c->diagnosis = PATTERN_IS_BIT_FLIP;
		return;
	}
	pattern_scene_open(&s, iov, iov_count, c->first_wrong);
	least = s.run < 8 ? s.run : 8;
	hole = pattern_gather_poison(iov, iov_count, s.at, m->len - s.at);
	if (hole >= 4 && hole >= least) {
		c->diagnosis = PATTERN_IS_HOLE;
		c->hole_bytes = hole;
		return;
	}
	if (s.run >= 4 && pattern_zeros(&s) >= least) {
		c->diagnosis = PATTERN_IS_ZEROS;
		c->hole_bytes = pattern_zeros(&s);
		return;
	}
	pattern_scene_to_body(&s, iov, iov_count);
	if (pattern_by_words(&s, c))
		return;
	if (m->len < 2 * PATTERN_FRAMED_MIN && pattern_by_neighbours(&s, c))
		return;
	/* Two or three bytes of poison are a hint only if they are all. */
	if (hole > 0 && hole >= c->wrong_bytes) {
		c->diagnosis = PATTERN_IS_HOLE;
		c->hole_bytes = hole;
	}
}

const char *pattern_kind_name(enum pattern_kind kind)
{
	static const char *const names[] = {
		[PATTERN_MAGIC_WRONG] = "magic",
		[PATTERN_SEQUENCE_WRONG] = "sequence",
		[PATTERN_QP_WRONG] = "qp",
		[PATTERN_CHECKSUM_WRONG] = "checksum",
		[PATTERN_BODY_WRONG] = "body",
	};

	return kind < ARRAY_SIZE(names) ? names[kind] : "?";
}

const char *pattern_diagnosis_name(enum pattern_diagnosis diagnosis)
{
	static const char *const names[] = {
#define PATTERN_DIAGNOSIS(name, word) word,
#include "suite/oracle/pattern_diagnosis.def"
#undef PATTERN_DIAGNOSIS
	};

	return diagnosis < ARRAY_SIZE(names) ? names[diagnosis] : "?";
}

static void pattern_diagnosis_text(const struct pattern_complaint *c,
				   char *text, size_t room)
{
	switch (c->diagnosis) {
	case PATTERN_IS_HOLE:
		snprintf(text, room, "%" PRIu64 " bytes were never written",
			 c->hole_bytes);
		break;
	case PATTERN_IS_ZEROS:
		snprintf(text, room, "zeros");
		break;
	case PATTERN_IS_BIT_FLIP:
		snprintf(text, room, "one bit flipped");
		break;
	case PATTERN_IS_SHIFTED:
		snprintf(text, room,
			 "the bytes at %" PRIu64 " belong to offset %" PRIu64
			 ": shifted by %+" PRId64,
			 c->at, c->source_offset, c->shift);
		break;
	case PATTERN_IS_DUPLICATE_PACKET:
		snprintf(text, room,
			 "the bytes at %" PRIu64 " belong to offset %" PRIu64
			 ": a packet placed twice",
			 c->at, c->source_offset);
		break;
	case PATTERN_IS_OTHER_MESSAGE:
		snprintf(text, room,
			 "the bytes at %" PRIu64 " are message %" PRIu64
			 ", offset %" PRIu64 ", of the same queue pair",
			 c->at, c->source_sequence, c->source_offset);
		break;
	case PATTERN_IS_OTHER_QP:
	case PATTERN_IS_STALE:
		snprintf(text, room,
			 "the bytes at %" PRIu64 " are message %" PRIu64
			 ", offset %" PRIu64 ", of %c qp%u gen %u%s",
			 c->at, c->source_sequence, c->source_offset,
			 'a' + (int)c->source.end, c->source.qp_index,
			 c->source.generation,
			 c->diagnosis == PATTERN_IS_STALE
				 ? ", an older connection"
				 : ", another queue pair");
		break;
	case PATTERN_IS_UNKNOWN:
	default:
		snprintf(text, room, "no message known has these bytes");
		break;
	}
}

const char *pattern_complaint_text(const struct pattern_message *m,
				   const struct pattern_complaint *c,
				   char *text, size_t room)
{
	char what[160];

	pattern_diagnosis_text(c, what, sizeof(what));
	snprintf(text, room,
		 "%s: message %" PRIu64 " of %" PRIu64 " bytes has %" PRIu64
		 " wrong from offset %" PRIu64 " (is %02x, must be %02x): %s",
		 pattern_kind_name(c->kind), m->sequence, m->len,
		 c->wrong_bytes, c->first_wrong, c->found, c->expected, what);
	return text;
}
