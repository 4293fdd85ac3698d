// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Walks over the fields of a struct: out, in, and for a digest. */
#include "suite/control/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct schema_piece {
	struct schema_piece *next;
	_Alignas(16) unsigned char bytes[];
};

/* A walk inwards, with the way to the field for what is said of it. */
struct schema_walk {
	struct cbor_reader *reader;
	struct schema_room *room;
	struct strbuf *error;
	const struct schema *top;
};

void schema_room_free(struct schema_room *room)
{
	struct schema_piece *p;

	while ((p = room->pieces)) {
		room->pieces = p->next;
		free(p);
	}
	room->bytes = 0;
}

static void *schema_room_take(struct schema_room *room, size_t bytes)
{
	struct schema_piece *p;

	if (bytes > SCHEMA_ROOM_MAX - room->bytes)
		return NULL;
	p = calloc(1, sizeof(*p) + bytes);
	if (!p)
		return NULL;
	room->bytes += bytes;
	p->next = room->pieces;
	room->pieces = p;
	return p->bytes;
}

static uint64_t schema_load(const void *from, uint32_t size)
{
	uint64_t value = 0;

	switch (size) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		return *(const uint16_t *)from;
	case 4:
		return *(const uint32_t *)from;
	default:
		memcpy(&value, from, sizeof(value));
		return value;
	}
}

static void schema_save(void *to, uint32_t size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = (uint8_t)value;
		break;
	case 2:
		*(uint16_t *)to = (uint16_t)value;
		break;
	case 4:
		*(uint32_t *)to = (uint32_t)value;
		break;
	default:
		memcpy(to, &value, sizeof(value));
	}
}

static uint64_t schema_max(uint32_t size)
{
	return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static int64_t schema_load_int(const void *from, uint32_t size)
{
	uint64_t value = schema_load(from, size);
	unsigned unused = 64 - 8 * size;

	return (int64_t)(value << unused) >> unused;
}

/* How many elements an array has now. */
static uint64_t schema_counted(const struct schema_field *f, const void *from)
{
	uint64_t count;

	if (!f->counter_size)
		return f->max;
	count = schema_load((const char *)from + f->counter, f->counter_size);
	/* A negative one, and one beyond the room, is an error's: no element. */
	return count > f->max ? 0 : count;
}

static void schema_encode_array(const struct schema_field *f, const void *from,
				const unsigned char *at, struct strbuf *out)
{
	uint64_t count = schema_counted(f, from), i;

	cbor_add_array(out, count);
	for (i = 0; i < count; i++) {
		if (f->of)
			schema_encode(f->of, at + i * f->element, out);
		else
			cbor_add_uint(out, schema_load(at + i * f->element,
						       f->element));
	}
}

static void schema_encode_field(const struct schema_field *f, const void *from,
				struct strbuf *out)
{
	const unsigned char *at = (const unsigned char *)from + f->offset;
	const void *pointer;

	switch (f->kind) {
	case SCHEMA_UINT:
		cbor_add_uint(out, schema_load(at, f->size));
		break;
	case SCHEMA_INT:
		cbor_add_int(out, schema_load_int(at, f->size));
		break;
	case SCHEMA_BOOL:
		cbor_add_bool(out, *at);
		break;
	case SCHEMA_BYTES:
		cbor_add_bytes(out, at, f->size);
		break;
	case SCHEMA_CHARS:
		cbor_add_text(out, (const char *)at,
			      strnlen((const char *)at, f->size - 1));
		break;
	case SCHEMA_STRUCT:
		schema_encode(f->of, at, out);
		break;
	case SCHEMA_ARRAY:
		schema_encode_array(f, from, at, out);
		break;
	default:
		memcpy(&pointer, at, sizeof(pointer));
		if (!pointer)
			cbor_add_null(out);
		else if (f->kind == SCHEMA_TEXT)
			cbor_add_text(out, pointer,
				      strnlen(pointer, SCHEMA_TEXT_MAX));
		else if (f->kind == SCHEMA_MANY)
			schema_encode_array(f, from, pointer, out);
		else
			schema_encode(f->of, pointer, out);
	}
}

void schema_encode(const struct schema *s, const void *from, struct strbuf *out)
{
	uint32_t i;

	cbor_add_array(out, s->count);
	for (i = 0; i < s->count; i++)
		schema_encode_field(&s->fields[i], from, out);
}

/* --- Inwards -------------------------------------------------------------- */

static int schema_refuse(const struct schema_walk *w, const struct schema *s,
			 const struct schema_field *f, const char *format, ...)
	PRINTF_LIKE(4, 5);

static int schema_refuse(const struct schema_walk *w, const struct schema *s,
			 const struct schema_field *f, const char *format, ...)
{
	va_list args;

	if (w->top != s)
		strbuf_addf(w->error, "%s: ", w->top->name);
	strbuf_addf(w->error, "%s.%s ", s->name, f->name);
	va_start(args, format);
	strbuf_vaddf(w->error, format, args);
	va_end(args);
	return -EBADMSG;
}

static int schema_decode_struct(const struct schema_walk *w,
				const struct schema *s, void *to);

static int schema_decode_uint(const struct schema_walk *w,
			      const struct schema *s,
			      const struct schema_field *f, void *at)
{
	uint64_t max = f->max ? f->max : schema_max(f->size);
	uint64_t value = 0;

	if (cbor_take_uint(w->reader, &value))
		return schema_refuse(w, s, f, "is no whole number");
	if (value > max)
		return schema_refuse(w, s, f,
				     "is %" PRIu64 ", at most %" PRIu64, value,
				     max);
	schema_save(at, f->size, value);
	return 0;
}

static int schema_decode_int(const struct schema_walk *w,
			     const struct schema *s,
			     const struct schema_field *f, void *at)
{
	int64_t value = 0;

	if (cbor_take_int(w->reader, &value))
		return schema_refuse(w, s, f, "is no number");
	schema_save(at, f->size, (uint64_t)value);
	if (schema_load_int(at, f->size) != value)
		return schema_refuse(w, s, f, "is %" PRId64 ", it has %u bytes",
				     value, f->size);
	return 0;
}

static int schema_decode_text(const struct schema_walk *w,
			      const struct schema *s,
			      const struct schema_field *f, void *at)
{
	size_t len = 0, max = SCHEMA_TEXT_MAX;
	const char *text = NULL;
	char *copy = at;

	if (f->kind == SCHEMA_CHARS)
		max = f->size - 1;
	if (f->kind == SCHEMA_TEXT && cbor_take_null(w->reader)) {
		memset(at, 0, sizeof(text));
		return 0;
	}
	if (cbor_take_text(w->reader, &text, &len))
		return schema_refuse(w, s, f, "is no text");
	if (len > max || memchr(text, 0, len))
		return schema_refuse(w, s, f,
				     "has %zu bytes, at most %zu, none 0", len,
				     max);
	if (f->kind == SCHEMA_TEXT) {
		copy = schema_room_take(w->room, len + 1);
		if (!copy)
			return -ENOMEM;
		memcpy(at, &copy, sizeof(copy));
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	return 0;
}

static int schema_decode_bytes(const struct schema_walk *w,
			       const struct schema *s,
			       const struct schema_field *f, void *at)
{
	const void *bytes = NULL;
	size_t len = 0;

	if (cbor_take_bytes(w->reader, &bytes, &len) || len != f->size)
		return schema_refuse(w, s, f, "is not %u bytes", f->size);
	memcpy(at, bytes, len);
	return 0;
}

/* The elements, into place or into room of their own. */
static int schema_decode_array(const struct schema_walk *w,
			       const struct schema *s,
			       const struct schema_field *f, void *to,
			       unsigned char *at)
{
	uint64_t count = 0, due = schema_counted(f, to), value = 0, i;
	unsigned char *first = at;
	int err = 0;

	if (cbor_take_array(w->reader, &count))
		return schema_refuse(w, s, f, "is no array");
	if (count > f->max)
		return schema_refuse(w, s, f,
				     "has %" PRIu64 " elements, at most "
				     "%" PRIu64,
				     count, f->max);
	if (count != due)
		return schema_refuse(w, s, f,
				     "has %" PRIu64 " elements, its count "
				     "says %" PRIu64,
				     count, due);
	if (f->kind == SCHEMA_MANY) {
		first = schema_room_take(w->room, count * f->element);
		if (!first)
			return -ENOMEM;
		memcpy(at, &first, sizeof(first));
	}
	for (i = 0; i < count && !err; i++) {
		if (f->of) {
			err = schema_decode_struct(w, f->of,
						   first + i * f->element);
			continue;
		}
		if (cbor_take_uint(w->reader, &value) ||
		    value > schema_max(f->element))
			return schema_refuse(w, s, f,
					     "has an element that is no "
					     "number of %u bytes",
					     f->element);
		schema_save(first + i * f->element, f->element, value);
	}
	return err;
}

static int schema_decode_pointer(const struct schema_walk *w,
				 const struct schema *s,
				 const struct schema_field *f, void *to,
				 unsigned char *at)
{
	void *what = NULL;

	memcpy(at, &what, sizeof(what));
	if (cbor_take_null(w->reader)) {
		if (f->kind == SCHEMA_MANY && schema_counted(f, to))
			return schema_refuse(w, s, f,
					     "is null, its count says %" PRIu64,
					     schema_counted(f, to));
		return 0;
	}
	if (f->kind == SCHEMA_MANY)
		return schema_decode_array(w, s, f, to, at);
	what = schema_room_take(w->room, f->of->size);
	if (!what)
		return -ENOMEM;
	memcpy(at, &what, sizeof(what));
	return schema_decode_struct(w, f->of, what);
}

static int schema_decode_field(const struct schema_walk *w,
			       const struct schema *s,
			       const struct schema_field *f, void *to)
{
	unsigned char *at = (unsigned char *)to + f->offset;
	bool value = false;

	switch (f->kind) {
	case SCHEMA_UINT:
		return schema_decode_uint(w, s, f, at);
	case SCHEMA_INT:
		return schema_decode_int(w, s, f, at);
	case SCHEMA_BOOL:
		if (cbor_take_bool(w->reader, &value))
			return schema_refuse(w, s, f, "is not true or false");
		*(bool *)at = value;
		return 0;
	case SCHEMA_BYTES:
		return schema_decode_bytes(w, s, f, at);
	case SCHEMA_CHARS:
	case SCHEMA_TEXT:
		return schema_decode_text(w, s, f, at);
	case SCHEMA_STRUCT:
		return schema_decode_struct(w, f->of, at);
	case SCHEMA_ARRAY:
		return schema_decode_array(w, s, f, to, at);
	case SCHEMA_MANY:
	case SCHEMA_MAYBE:
		return schema_decode_pointer(w, s, f, to, at);
	}
	return -EBADMSG;
}

static int schema_decode_struct(const struct schema_walk *w,
				const struct schema *s, void *to)
{
	uint64_t count = 0;
	uint32_t i;
	int err = 0;

	if (cbor_take_array(w->reader, &count)) {
		strbuf_addf(w->error, "%s: not the fields of %s", w->top->name,
			    s->name);
		return -EBADMSG;
	}
	if (count < s->count)
		return schema_refuse(w, s, &s->fields[count], "is missing");
	if (count > s->count) {
		strbuf_addf(w->error,
			    "%s: %s has %" PRIu64 " fields, known "
			    "are %u",
			    w->top->name, s->name, count, s->count);
		return -EBADMSG;
	}
	for (i = 0; i < s->count && !err; i++)
		err = schema_decode_field(w, s, &s->fields[i], to);
	return err;
}

int schema_decode(const struct schema *s, struct cbor_reader *r, void *to,
		  struct schema_room *room, struct strbuf *error)
{
	const struct schema_walk w = {
		.reader = r, .room = room, .error = error, .top = s
	};
	int err;

	memset(to, 0, s->size);
	err = schema_decode_struct(&w, s, to);
	if (err == -ENOMEM)
		strbuf_addf(error, "%s: no memory for what it holds", s->name);
	return err;
}

uint64_t schema_digest(const struct schema *s, uint64_t hash)
{
	uint32_t i;

	hash = hash_mix64(hash ^ hash_text(s->name));
	for (i = 0; i < s->count; i++) {
		const struct schema_field *f = &s->fields[i];

		hash = hash_mix64(hash ^ hash_text(f->name));
		hash = hash_mix64(hash ^ f->kind ^ f->max << 8);
		if (f->kind != SCHEMA_TEXT && f->kind < SCHEMA_MANY)
			hash = hash_mix64(hash ^ f->size);
		if (f->of)
			hash = schema_digest(f->of, hash);
	}
	return hash;
}
