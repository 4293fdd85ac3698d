// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device/link/shm_ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "device/wire/packet.h"

enum shm_kind {
	SHM_SKIP = 1, /* nothing up to the end of the ring */
	SHM_NEAR,     /* the packet is right behind the record */
	SHM_ALIGNED,  /* its BTH ends where a cache line does */
};

struct shm_record {
	uint32_t len;
	uint8_t kind;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t damaged;
	uint16_t sport;
	uint16_t zero;
	uint32_t stamp; /* of a note: the head's low half */
};

enum { SHM_STAMP_NONE = 1 }; /* no head is odd */

enum {
	SHM_NEAR_AT = sizeof(struct shm_record),
	SHM_ALIGNED_AT = SHM_LINE - WIRE_BTH_BYTES,
	/* Of such a packet the fewest cache lines matter, of a longer one that
	 * its payload begins with one. */
	SHM_NEAR_MAX = 256,
	/* Fetched ahead: cache lines of a payload that make the processor
	 * fetch the rest by itself, and the record so many packets on. */
	SHM_AHEAD_LINES = 4,
	SHM_AHEAD_RECORDS = 3,
	/* The word of a note that has the stamp. */
	SHM_STAMP_WORD = offsetof(struct shm_record, stamp) / 8,
	/* Of a record in a note: its ICRC says nothing. */
	SHM_NOTE_BYTES = SHM_NOTE_WORDS * 8 + WIRE_ICRC_BYTES,
};

static_assert(sizeof(struct shm_record) == 16, "the ring's format");
static_assert((int)SHM_ALIGNED_AT >= (int)SHM_NEAR_AT, "records overlap");
static_assert(offsetof(struct shm_header, tail) == SHM_LINE, "one line");
static_assert(sizeof(struct shm_header) <= SHM_HEADER_BYTES, "no room");

static size_t shm_at(size_t len)
{
	return len <= SHM_NEAR_MAX ? SHM_NEAR_AT : SHM_ALIGNED_AT;
}

static size_t shm_stride(size_t at, size_t len)
{
	return (at + len + SHM_LINE - 1) & ~(size_t)(SHM_LINE - 1);
}

/*
 * The reader may still be at the note before: its stamp goes first, so that
 * whoever has seen anything of this one does not find that stamp any more.
 */
static void shm_writer_stamp(struct shm_writer *w, uint64_t words[],
			     uint32_t stamp)
{
	memcpy((uint8_t *)words + offsetof(struct shm_record, stamp), &stamp,
	       sizeof(stamp));
	w->noted = stamp != SHM_STAMP_NONE;
	atomic_store_explicit(&w->header->note[SHM_STAMP_WORD],
			      words[SHM_STAMP_WORD], memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

void shm_writer_init(struct shm_writer *w, void *map)
{
	*w = (struct shm_writer){
		.header = map,
		.ring = (uint8_t *)map + SHM_HEADER_BYTES,
	};
	shm_writer_stamp(w, (uint64_t[SHM_NOTE_WORDS]){ 0 }, SHM_STAMP_NONE);
}

void shm_reader_init(struct shm_reader *r, void *map)
{
	*r = (struct shm_reader){
		.header = map,
		.ring = (uint8_t *)map + SHM_HEADER_BYTES,
	};
}

static bool shm_writer_has_room(struct shm_writer *w, size_t bytes,
				bool *broken)
{
	uint64_t tail;

	if (SHM_RING_BYTES - (w->head - w->tail) >= bytes)
		return true;
	tail = atomic_load_explicit(&w->header->tail, memory_order_acquire);
	if (tail - w->tail > w->shown - w->tail) {
		*broken = true;
		return false;
	}
	w->tail = tail;
	return SHM_RING_BYTES - (w->head - tail) >= bytes;
}

uint8_t *shm_writer_begin(struct shm_writer *w, size_t len_max, bool *broken)
{
	size_t at = shm_at(len_max);
	size_t bytes = shm_stride(at, len_max);
	size_t pos = w->head % SHM_RING_BYTES;
	size_t left = SHM_RING_BYTES - pos;
	struct shm_record skip = { .kind = SHM_SKIP };

	*broken = false;
	if (left < bytes) {
		if (!shm_writer_has_room(w, left + bytes, broken))
			return NULL;
		memcpy(w->ring + pos, &skip, sizeof(skip));
		w->head += left;
		pos = 0;
	} else if (!shm_writer_has_room(w, bytes, broken)) {
		return NULL;
	}
	/* Its line is the reader's: have it come while the packet is made. */
	__builtin_prefetch(w->ring + pos, 1);
	return w->ring + pos + at;
}

bool shm_writer_end(struct shm_writer *w, const struct link_packet *p)
{
	uint8_t *record_at = w->ring + w->head % SHM_RING_BYTES;
	size_t at = (size_t)(p->bytes - record_at);
	struct shm_record record = {
		.len = p->len,
		.kind = at == SHM_NEAR_AT ? SHM_NEAR : SHM_ALIGNED,
		.traffic_class = p->traffic_class,
		.hop_limit = p->hop_limit,
		.damaged = p->turn != 0,
		.sport = p->sport,
	};

	assert(at == SHM_NEAR_AT || at == SHM_ALIGNED_AT);
	memcpy(record_at, &record, sizeof(record));
	w->head += shm_stride(at, p->len);
	return w->head - w->shown >= SHM_SHOW_BYTES;
}

/* Does the record at @line fit into a note? */
static bool shm_note_fits(const uint8_t *line)
{
	struct shm_record record;

	memcpy(&record, line, sizeof(record));
	return record.kind == SHM_NEAR &&
	       SHM_NEAR_AT + record.len <= SHM_NOTE_BYTES;
}

/* Note the record that is about to be shown, if it is one and fits; an old
 * stamp would be right again when the head has gone once round. */
static void shm_writer_note(struct shm_writer *w)
{
	const uint8_t *line = w->ring + w->shown % SHM_RING_BYTES;
	uint64_t words[SHM_NOTE_WORDS] = { 0 };

	if (w->head - w->shown != SHM_LINE || !shm_note_fits(line)) {
		if (w->noted)
			shm_writer_stamp(w, words, SHM_STAMP_NONE);
		return;
	}
	memcpy(words, line, sizeof(words));
	shm_writer_stamp(w, words, (uint32_t)w->head);
	for (unsigned i = 0; i < SHM_NOTE_WORDS; i++)
		if (i != SHM_STAMP_WORD)
			atomic_store_explicit(&w->header->note[i], words[i],
					      memory_order_relaxed);
}

bool shm_writer_show(struct shm_writer *w)
{
	if (w->shown == w->head)
		return false;
	shm_writer_note(w);
	w->shown = w->head;
	/* Either we see that it sleeps, or it sees this before it does. */
	atomic_store(&w->header->head, w->head);
	return atomic_load(&w->header->sleeps) &&
	       atomic_exchange(&w->header->sleeps, 0);
}

bool shm_reader_ready(const struct shm_reader *r)
{
	return atomic_load(&r->header->head) != r->tail;
}

static bool shm_reader_look(struct shm_reader *r, bool *broken)
{
	uint64_t head;

	*broken = false;
	if (r->head != r->tail)
		return true;
	head = atomic_load_explicit(&r->header->head, memory_order_acquire);
	if (head == r->tail)
		return false;
	if (head - r->tail > SHM_RING_BYTES || head % SHM_LINE) {
		*broken = true;
		return false;
	}
	r->head = head;
	return true;
}

/*
 * The record at the tail, as the note has it; NULL: it has another, or the
 * packet of the note before is still in use.
 */
static uint8_t *shm_reader_note(struct shm_reader *r)
{
	struct shm_record record;

	if (r->head - r->tail != SHM_LINE || r->given != r->tail)
		return NULL;
	for (unsigned i = 0; i < SHM_NOTE_WORDS; i++)
		if (i != SHM_STAMP_WORD)
			r->note[i] = atomic_load_explicit(&r->header->note[i],
							  memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	r->note[SHM_STAMP_WORD] = atomic_load_explicit(
		&r->header->note[SHM_STAMP_WORD], memory_order_relaxed);
	memcpy(&record, r->note, sizeof(record));
	return record.stamp == (uint32_t)r->head ? (uint8_t *)r->note : NULL;
}

/* Bytes that the record takes, or 0 when it cannot be. */
static size_t shm_record_bytes(const struct shm_reader *r,
			       const struct shm_record *record, size_t left)
{
	size_t bytes;

	switch (record->kind) {
	case SHM_SKIP:
		/* At the beginning it would have no end. */
		bytes = left == SHM_RING_BYTES ? 0 : left;
		break;
	case SHM_NEAR:
	case SHM_ALIGNED:
		if (record->len < WIRE_BTH_BYTES + WIRE_ICRC_BYTES ||
		    record->len > WIRE_PACKET_MAX)
			return 0;
		bytes = shm_stride(record->kind == SHM_NEAR ? SHM_NEAR_AT
							    : SHM_ALIGNED_AT,
				   record->len);
		break;
	default:
		return 0;
	}
	if (bytes > left || bytes > r->head - r->tail)
		return 0;
	return bytes;
}

/*
 * All of it lies in the other core's cache, a hundred nanoseconds off: have it
 * come while others are being worked on.  @bytes: of the record just read; the
 * ones behind it are probably as long.
 */
static void shm_reader_fetch_ahead(const struct shm_reader *r,
				   const struct link_packet *p, size_t bytes)
{
	size_t ahead = bytes * (SHM_AHEAD_RECORDS - 1);

	if (p->len <= SHM_NEAR_MAX)
		return;
	for (size_t i = 0; i < SHM_AHEAD_LINES; i++)
		__builtin_prefetch(p->bytes + WIRE_BTH_BYTES + i * SHM_LINE);
	if (r->head - r->tail > ahead)
		__builtin_prefetch(r->ring +
				   (r->tail + ahead) % SHM_RING_BYTES);
}

int shm_reader_next(struct shm_reader *r, struct link_packet *p, bool *damaged)
{
	struct shm_record record = { .kind = SHM_SKIP };
	uint8_t *at = NULL;
	size_t bytes = 0;
	bool broken;

	while (record.kind == SHM_SKIP) {
		size_t pos = r->tail % SHM_RING_BYTES;

		if (!shm_reader_look(r, &broken))
			return broken ? -EPROTO : 0;
		at = shm_reader_note(r);
		if (!at)
			at = r->ring + pos;
		memcpy(&record, at, sizeof(record));
		bytes = shm_record_bytes(r, &record, SHM_RING_BYTES - pos);
		if (!bytes)
			return -EPROTO;
		r->tail += bytes;
	}
	p->bytes =
		at + (record.kind == SHM_NEAR ? SHM_NEAR_AT : SHM_ALIGNED_AT);
	p->len = record.len;
	p->traffic_class = record.traffic_class;
	p->hop_limit = record.hop_limit;
	p->sport = record.sport;
	p->turn = 0;
	p->turned = false;
	*damaged = record.damaged;
	shm_reader_fetch_ahead(r, p, bytes);
	return 1;
}

void shm_reader_give(struct shm_reader *r)
{
	if (r->given == r->tail)
		return;
	r->given = r->tail;
	atomic_store_explicit(&r->header->tail, r->tail, memory_order_release);
}
